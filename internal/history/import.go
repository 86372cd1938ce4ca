package history

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Imported counts what an import did, or would do.
type Imported struct {
	Conversations int `json:"conversations"` // new ones
	Added         int `json:"turns"`         // new ones
	Completed     int `json:"completed"`     // turns that got the answer they lacked
	Skipped       int `json:"skipped"`       // turns that existed
}

// Import adds conversations to the history under their own ids, each in one
// transaction. All are checked before the first is written, so trees is read twice. An
// *ImportError says what is wrong, and that nothing was written.
//
// Answered turns that exist are left unchanged, and so are the head, the title and the
// profile of a conversation that exists; it gets the turns and answers that are missing.
// Importing twice adds nothing. With profile not empty it is the profile of every new
// conversation.
//
// A pending turn is imported as pending. No process waits for it, so it reads as
// unknown.
func (s *Store) Import(ctx context.Context, trees iter.Seq2[Tree, error], profile string) (Imported, error) {
	if err := s.Writable(); err != nil {
		return Imported{}, err
	}
	if _, err := s.CheckImport(ctx, trees); err != nil {
		return Imported{}, err
	}
	var done Imported
	for tree, err := range trees {
		if err != nil {
			return done, err
		}
		if profile != "" {
			tree.Conversation.Profile = profile
		}
		var missing difference
		if err := s.write(ctx, func(tx *sql.Tx) (err error) {
			if missing, err = compare(ctx, tx, tree); err != nil {
				return err
			}
			return missing.write(ctx, tx, tree.Conversation)
		}); err != nil {
			return done, err
		}
		done.add(missing)
	}
	return done, nil
}

// CheckImport returns what Import would do and changes nothing.
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

// difference is what the history lacks of a tree.
type difference struct {
	conversations int // 1 unless the conversation exists
	turns         []Turn
	answers       []Turn // of turns that exist without
	skipped       int    // turns that exist
}

// compare refuses a turn that exists in another conversation.
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
			return d, refuse("turn "+t.ID, "the history has it in conversation %s, not in %s", had.Conversation, id)
		case had.State != Answered && t.State == Answered:
			d.answers = append(d.answers, t)
		default:
			d.skipped++
		}
	}
	return d, nil
}

// write adds what is missing.
func (d difference) write(ctx context.Context, tx *sql.Tx, c Conversation) error {
	// Turns are written in their order, in which a child may come before its parent.
	if _, err := tx.ExecContext(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	if d.conversations > 0 {
		if err := insertConversation(ctx, tx, c); err != nil {
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
