package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Rename changes the title of a conversation.
func (s *Store) Rename(ctx context.Context, id, title string) error {
	title = strings.ToValidUTF8(title, "\uFFFD")
	return s.write(ctx, func(tx *sql.Tx) error {
		var rowid int64
		if err := tx.QueryRowContext(ctx, `UPDATE conversations SET title = ? WHERE id = ? RETURNING rowid`, title, id).Scan(&rowid); err != nil {
			return err
		}
		return indexTitle(ctx, tx, rowid, title)
	})
}

// Switch moves the head of a conversation to an answered turn.
func (s *Store) Switch(ctx context.Context, turn Turn) error {
	if turn.State != Answered {
		return fmt.Errorf("cannot continue from turn %s: it has no answer (%s)", Short(turn.ID), turn.State)
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		return changeOne(ctx, tx, "conversation", turn.Conversation, `UPDATE conversations SET head = ?, updated = ? WHERE id = ?`, turn.ID, millis(s.now()))
	})
}

// SetMarks sets the marks of turns in a conversation. refs maps a mark to its turns,
// as accepted by FindTurn. If a turn has two marks, the later constant wins. Either
// all marks are set or none.
func (s *Store) SetMarks(ctx context.Context, conversation string, refs map[Mark][]string) error {
	var found []Turn // with their new marks
	for _, mark := range []Mark{Unmarked, Pinned, Skipped} {
		for _, ref := range refs[mark] {
			turn, err := s.FindTurn(ctx, conversation, ref)
			if err != nil {
				return err
			}
			turn.Mark = mark
			found = append(found, turn)
		}
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, turn := range found {
			if err := changeOne(ctx, tx, "turn", turn.ID, `UPDATE turns SET mark = ? WHERE id = ?`, null(turn.Mark)); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetProfile moves conversations to another profile.
func (s *Store) SetProfile(ctx context.Context, profile string, ids ...string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := changeOne(ctx, tx, "conversation", id, `UPDATE conversations SET profile = ? WHERE id = ?`, profile); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete moves conversations to the trash.
func (s *Store) Delete(ctx context.Context, ids ...string) error {
	return s.setDeleted(ctx, s.now(), ids)
}

// Restore moves conversations out of the trash.
func (s *Store) Restore(ctx context.Context, ids ...string) error {
	return s.setDeleted(ctx, time.Time{}, ids)
}

func (s *Store) setDeleted(ctx context.Context, deleted time.Time, ids []string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := changeOne(ctx, tx, "conversation", id, `UPDATE conversations SET deleted = ? WHERE id = ?`, null(millis(deleted))); err != nil {
				return err
			}
		}
		return nil
	})
}

// Prunable returns the conversations that may be pruned.
func (s *Store) Prunable(ctx context.Context, p Pruning) ([]Conversation, error) {
	return s.conversations(ctx, `WHERE `+p.where()+` ORDER BY c.updated`, millis(p.Before), p.Profile)
}

// where returns a condition whose arguments are Before and Profile.
func (p Pruning) where() string {
	where := `c.updated < ?1 AND (?2 = '' OR c.profile = ?2)`
	if p.TrashOnly {
		where = `c.deleted < ?1 AND (?2 = '' OR c.profile = ?2)`
	}
	if p.FailedOnly {
		where += ` AND c.head IS NULL AND EXISTS (SELECT 1 FROM turns WHERE conversation = c.id)
			AND NOT EXISTS (SELECT 1 FROM turns WHERE conversation = c.id AND state <> 'failed')`
	}
	return where
}

// Unsettled returns the conversations without an answer that FailedOnly excludes,
// because a question is pending or has an unknown outcome.
func (s *Store) Unsettled(ctx context.Context, p Pruning) ([]Conversation, error) {
	p.FailedOnly = false
	return s.conversations(ctx, `WHERE `+p.where()+` AND c.head IS NULL
		AND EXISTS (SELECT 1 FROM turns WHERE conversation = c.id AND state IN ('unknown', 'pending'))
		AND NOT EXISTS (SELECT 1 FROM turns WHERE conversation = c.id AND state = 'answered') ORDER BY c.updated`, millis(p.Before), p.Profile)
}

// Pruning selects the conversations to remove permanently.
type Pruning struct {
	Before     time.Time // only those last used, or with TrashOnly deleted, before this time
	TrashOnly  bool
	FailedOnly bool   // only those in which every question failed
	Profile    string // empty: every profile
}

// Prune permanently removes those of the conversations that p still selects and that
// no process is waiting for. Their text is erased from the file and its log, and so is
// the text that an interrupted Prune left, even if nothing is removed now. Prune
// returns the number of removed conversations. If the error is sqlite.ErrFull, they
// are removed, but their text is only overwritten by the next Prune with enough space.
func (s *Store) Prune(ctx context.Context, p Pruning, ids ...string) (removed int, err error) {
	removed, err = s.remove(ctx, p, ids)
	if errors.Is(err, sqlite.ErrFull) {
		removed, err = s.removeEach(ctx, p, ids)
	}
	if err != nil {
		return removed, err
	}
	// The index only marks rows as deleted until it is merged, which needs disk space.
	err = s.optimizeIndex(ctx)
	if errors.Is(err, sqlite.ErrFull) {
		_ = s.db.Compact(ctx)
		err = s.optimizeIndex(ctx)
	}
	return removed, cmp.Or(s.db.Compact(ctx), err)
}

// removeEach removes the conversations one by one, so that each step needs little
// disk space. It returns the number of those removed before an error.
func (s *Store) removeEach(ctx context.Context, p Pruning, ids []string) (removed int, err error) {
	// Overwriting free pages needs space for each of them; Compact removes them anyway.
	if _, err := s.db.ExecContext(ctx, `PRAGMA secure_delete = FAST`); err != nil {
		return 0, s.readError(err)
	}
	for _, id := range ids {
		n, err := s.remove(ctx, p, []string{id})
		if err == nil {
			err = s.db.EmptyLog(ctx)
		}
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// remove removes the conversations that Prune would, all of them or none.
func (s *Store) remove(ctx context.Context, p Pruning, ids []string) (removed int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		due, err := sqlite.All(ctx, tx, `SELECT c.id FROM conversations c WHERE `+p.where()+` AND c.id IN (`+listed+`)`,
			[]any{millis(p.Before), p.Profile, list(ids)}, sqlite.Column[string])
		if err != nil {
			return err
		}
		for _, id := range due {
			if waits, err := s.awaited(ctx, tx, `conversation = ?`, id); err != nil {
				return err
			} else if waits {
				continue
			}
			removed++
			for _, statement := range []string{
				`DELETE FROM turns_index WHERE rowid IN (SELECT seq FROM turns WHERE conversation = ?)`,
				`DELETE FROM titles_index WHERE rowid = (SELECT rowid FROM conversations WHERE id = ?)`,
				// Foreign keys would prevent the deletion of a parent before its children.
				`UPDATE turns SET parent = NULL WHERE conversation = ?`,
				`DELETE FROM conversations WHERE id = ?`,
			} {
				if _, err := tx.ExecContext(ctx, statement, id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// optimizeIndex removes the words of deleted rows from the search index.
func (s *Store) optimizeIndex(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO turns_index(turns_index) VALUES('optimize'); INSERT INTO titles_index(titles_index) VALUES('optimize')`)
		return err
	})
}
