package history

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Imported counts the effects of an import.
type Imported struct {
	Conversations int `json:"conversations"` // new conversations
	Added         int `json:"turns"`         // new turns
	Completed     int `json:"completed"`     // existing turns whose missing answer was added
	Skipped       int `json:"skipped"`       // existing turns left unchanged
}

// Import adds conversations to the history under their own ids, either all of them or,
// on an error, none. It checks all of them before it takes the write lock, so it
// iterates over trees twice. Invalid content is an *ImportError.
//
// Existing answered turns remain unchanged, and so do the head, the title, the
// instructions and the profile of an existing conversation. Only missing turns and answers are added to it,
// so a second import adds nothing. If profile is not empty, it is the profile of all
// new conversations.
//
// A pending turn is imported as pending. As no process is waiting for it, it reads as
// unknown.
func (s *Store) Import(ctx context.Context, trees iter.Seq2[Tree, error], profile string) (Imported, error) {
	if err := s.Writable(); err != nil {
		return Imported{}, err
	}
	if _, err := s.CheckImport(ctx, trees); err != nil {
		return Imported{}, err
	}
	var done Imported
	err := s.write(ctx, func(tx *sql.Tx) error {
		for tree, err := range trees {
			if err != nil {
				return err
			}
			if profile != "" {
				tree.Conversation.Profile = profile
			}
			missing, err := compare(ctx, tx, tree)
			if err == nil {
				err = missing.write(ctx, tx, tree)
			}
			if err != nil {
				return err
			}
			done.add(missing)
		}
		return nil
	})
	if err != nil {
		return Imported{}, err
	}
	return done, nil
}

// CheckImport returns what Import would do, without changing anything.
func (s *Store) CheckImport(ctx context.Context, trees iter.Seq2[Tree, error]) (Imported, error) {
	var would Imported
	check := checker{conversations: map[string]bool{}, turns: map[string]bool{}, perMilli: map[int64]int{}}
	for tree, err := range trees {
		if err == nil {
			err = check.tree(tree)
		}
		if err != nil {
			return Imported{}, err
		}
		missing, err := compare(ctx, s.db, tree)
		if errors.As(err, new(*ImportError)) {
			return Imported{}, err
		}
		if err != nil {
			return Imported{}, s.readError(err)
		}
		would.add(missing)
	}
	return would, nil
}

func (i *Imported) add(d difference) {
	i.Conversations += d.conversations
	i.Added += len(d.turns)
	i.Completed += len(d.answers)
	i.Skipped += d.skipped
}

// difference is the part of a tree that is missing from the history.
type difference struct {
	conversations int // 0 if the conversation exists, else 1
	turns         []Turn
	answers       []Turn // existing turns without an answer
	skipped       int    // number of existing turns
}

// compare returns the difference. A turn that exists in another conversation is an *ImportError.
func compare(ctx context.Context, db sqlite.Queryer, tree Tree) (d difference, err error) {
	id := tree.Conversation.ID
	if err := db.QueryRowContext(ctx, `SELECT NOT EXISTS(SELECT 1 FROM conversations WHERE id = ?)`, id).Scan(&d.conversations); err != nil {
		return d, err
	}
	ids := make([]string, len(tree.Turns))
	for i, t := range tree.Turns {
		ids[i] = t.ID
	}
	found, err := sqlite.All(ctx, db, `SELECT id, conversation, state FROM turns WHERE id IN (`+listed+`)`, []any{list(ids)}, func(rows *sql.Rows, t *Turn) error {
		return rows.Scan(&t.ID, &t.Conversation, &t.State)
	})
	if err != nil {
		return d, err
	}
	existing := make(map[string]Turn, len(found))
	for _, t := range found {
		existing[t.ID] = t
	}
	for _, t := range tree.Turns {
		switch had, ok := existing[t.ID]; {
		case !ok:
			d.turns = append(d.turns, t)
		case had.Conversation != id:
			return d, refuse("turn "+t.ID, "exists in conversation %s, not in %s", had.Conversation, id)
		case had.State != Answered && t.State == Answered:
			d.answers = append(d.answers, t)
		default:
			d.skipped++
		}
	}
	return d, nil
}

// write adds the missing conversation, turns and answers.
func (d difference) write(ctx context.Context, tx *sql.Tx, tree Tree) error {
	c := tree.Conversation
	// In a tree, a child may come before its parent.
	if _, err := tx.ExecContext(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	if d.conversations > 0 {
		if err := insertConversation(ctx, tx, c); err != nil {
			return err
		}
		if err := writeInstructions(ctx, tx, c.ID, tree.Instructions); err != nil {
			return err
		}
	}
	for _, t := range d.turns {
		t.Conversation = c.ID
		if err := insertTurn(ctx, tx, t, t.Asked, ""); err != nil {
			return err
		}
	}
	for _, t := range d.answers {
		if err := setAnswer(ctx, tx, t); err != nil {
			return err
		}
	}
	if d.conversations > 0 || len(d.turns)+len(d.answers) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE conversations SET updated = max(updated, ?), head = coalesce(head, ?) WHERE id = ?`, millis(c.Updated), null(c.Head), c.ID)
	return err
}
