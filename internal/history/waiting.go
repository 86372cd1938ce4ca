package history

import (
	"context"
	"slices"
)

// Pending returns the turns of a profile that a process waits for, the latest
// asked first.
func (s *Store) Pending(ctx context.Context, profile string) ([]Turn, error) {
	// The first condition says no more than the second, but allows the index of the
	// turns without an answer, which are few.
	open, err := s.turns(ctx, `INDEXED BY turns_open CROSS JOIN conversations c ON c.id = t.conversation
		WHERE t.state <> 'answered' AND t.state = 'pending' AND c.deleted IS NULL AND c.profile = ? ORDER BY t.seq DESC`, profile)
	return slices.DeleteFunc(open, func(t Turn) bool { return t.State != Pending }), err
}

// Unanswered returns the turns without an answer that no process waits for, of
// one conversation or, with an empty id, of a profile, oldest first.
func (s *Store) Unanswered(ctx context.Context, profile, conversation string) ([]Turn, error) {
	open, err := s.turns(ctx, `JOIN conversations c ON c.id = t.conversation
		WHERE t.state <> 'answered' AND c.deleted IS NULL
		AND CASE WHEN ?2 = '' THEN c.profile = ?1 ELSE c.id = ?2 END ORDER BY t.seq`, profile, conversation)
	return slices.DeleteFunc(open, func(t Turn) bool { return t.State == Pending }), err
}

// LastUnanswered returns the newest turn asked below the conversation's head
// that has no answer and that no process is waiting for any more; ok is false when there is none.
func (s *Store) LastUnanswered(ctx context.Context, c Conversation) (turn Turn, ok bool, err error) {
	turns, err := s.turns(ctx, `WHERE t.conversation = ?1 AND t.state <> 'answered' AND t.parent IS ?2 ORDER BY t.seq DESC LIMIT 1`, c.ID, null(c.Head))
	if err != nil || len(turns) == 0 || turns[0].State == Pending {
		return Turn{}, false, err
	}
	return turns[0], true, nil
}

// Beside returns for an answered turn what else happened in its conversation while
// it waited, as Answer returned it to the process that asked.
func (s *Store) Beside(ctx context.Context, turn Turn) (Branch, error) {
	// The + keeps SQLite from the index of parents, where all roots are one.
	others, err := s.turns(ctx, `WHERE t.conversation = ?1 AND +t.parent IS ?2 AND t.id <> ?3
		AND (t.state = 'pending' OR t.state = 'answered' AND t.ended BETWEEN ?4 AND ?5)`,
		turn.Conversation, null(turn.Parent), turn.ID, millis(turn.Asked), millis(turn.Ended))
	var branch Branch
	for _, t := range others {
		branch.Answered = branch.Answered || t.State == Answered
		branch.InFlight = branch.InFlight || t.State == Pending
	}
	return branch, err
}
