package history

import (
	"context"
	"database/sql"
	"slices"
)

// Pending returns the turns of a profile that a process is waiting for, latest first.
func (s *Store) Pending(ctx context.Context, profile string) ([]Turn, error) {
	// The first condition is redundant, but SQLite requires it to use the index.
	open, err := s.turns(ctx, `INDEXED BY turns_open CROSS JOIN conversations c ON c.id = t.conversation
		WHERE t.state <> 'answered' AND t.state = 'pending' AND c.deleted IS NULL AND c.profile = ? ORDER BY t.seq DESC`, profile)
	return slices.DeleteFunc(open, func(t Turn) bool { return t.State != Pending }), err
}

// Unanswered returns the turns without an answer that no process is waiting for,
// oldest first: those of a conversation or, if its id is empty, of a profile.
func (s *Store) Unanswered(ctx context.Context, profile, conversation string) ([]Turn, error) {
	open, err := s.turns(ctx, `JOIN conversations c ON c.id = t.conversation
		WHERE t.state <> 'answered' AND c.deleted IS NULL
		AND CASE WHEN ?2 = '' THEN c.profile = ?1 ELSE c.id = ?2 END ORDER BY t.seq`, profile, conversation)
	return slices.DeleteFunc(open, func(t Turn) bool { return t.State == Pending }), err
}

// LastUnanswered returns the newest unanswered turn below the head of a conversation.
// If there is none, or a process is waiting for it, ok is false.
func (s *Store) LastUnanswered(ctx context.Context, c Conversation) (turn Turn, ok bool, err error) {
	turns, err := s.turns(ctx, `WHERE t.conversation = ?1 AND t.state <> 'answered' AND t.parent IS ?2 ORDER BY t.seq DESC LIMIT 1`, c.ID, null(c.Head))
	if err != nil || len(turns) == 0 || turns[0].State == Pending {
		return Turn{}, false, err
	}
	return turns[0], true, nil
}

// BranchOf returns the Branch of an answered turn, as Answer returned it to the process
// that asked.
func (s *Store) BranchOf(ctx context.Context, turn Turn) (Branch, error) {
	// The + prevents SQLite from using the index of parents, which is slow for roots.
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

// States returns the states of conversations, keyed by id: Answered if a turn is
// answered, else Pending, Unknown or Failed, the first of these that a turn has. A
// conversation without turns has no state.
func (s *Store) States(ctx context.Context, conversations []Conversation) (map[string]State, error) {
	states := make(map[string]State, len(conversations))
	var unanswered []string
	for _, c := range conversations {
		if c.Head != "" {
			states[c.ID] = Answered
		} else {
			unanswered = append(unanswered, c.ID)
		}
	}
	if len(unanswered) == 0 {
		return states, nil
	}
	type turn struct {
		conversation, owner string
		state               State
		expires             int64
	}
	turns, err := read(ctx, s, `SELECT conversation, owner, state, expires FROM turns WHERE conversation IN (`+listed+`)`, []any{list(unanswered)},
		func(rows *sql.Rows, t *turn) error { return rows.Scan(&t.conversation, &t.owner, &t.state, &t.expires) })
	order := []State{"", Failed, Unknown, Pending, Answered}
	for _, t := range turns {
		if t.state == Pending && s.lost(t.expires, t.owner) {
			t.state = Unknown
		}
		if slices.Index(order, t.state) > slices.Index(order, states[t.conversation]) {
			states[t.conversation] = t.state
		}
	}
	return states, err
}
