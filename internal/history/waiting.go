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
	open, err := s.turns(ctx, `SELECT `+turnColumns+` FROM turns t INDEXED BY turns_open CROSS JOIN conversations c ON c.id = t.conversation
		WHERE t.state <> 'answered' AND t.state = 'pending' AND c.deleted IS NULL AND c.profile = ? ORDER BY t.seq DESC`, profile)
	return slices.DeleteFunc(open, func(t Turn) bool { return t.State != Pending }), err
}

// Beside tells an answered turn what happened beside it, as Answer told it to
// the process that waited.
func (s *Store) Beside(ctx context.Context, turn Turn) (Branch, error) {
	// The + keeps SQLite from the index of parents, where all roots are one.
	beside, err := s.turns(ctx, `SELECT `+turnColumns+` FROM turns t WHERE t.conversation = ?1 AND +t.parent IS ?2 AND t.id <> ?3
		AND (t.state = 'pending' OR t.state = 'answered' AND t.ended BETWEEN ?4 AND ?5)`,
		turn.Conversation, null(turn.Parent), turn.ID, millis(turn.Asked), millis(turn.Ended))
	var branch Branch
	for _, t := range beside {
		branch.Answered = branch.Answered || t.State == Answered
		branch.InFlight = branch.InFlight || t.State == Pending
	}
	return branch, err
}
