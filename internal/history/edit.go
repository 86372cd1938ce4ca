package history

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Rename gives a conversation a title.
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

// Switch makes an answered turn the head of its conversation.
func (s *Store) Switch(ctx context.Context, turn Turn) error {
	if turn.State != Answered {
		return fmt.Errorf("turn %s is %s; only an answered turn can be continued", Short(turn.ID), turn.State)
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		return changeOne(ctx, tx, "conversation", turn.Conversation, `UPDATE conversations SET head = ?, updated = ? WHERE id = ?`, turn.ID, millis(s.now()))
	})
}

// SetMarks gives turns of a conversation the marks under which they are named, as
// FindTurn finds them; of two marks for one turn the later constant counts. All of
// them are changed, or none.
func (s *Store) SetMarks(ctx context.Context, conversation string, refs map[Mark][]string) error {
	var found []Turn // with the marks that they get
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

// Delete puts conversations into the trash.
func (s *Store) Delete(ctx context.Context, ids ...string) error {
	return s.setDeleted(ctx, s.now(), ids)
}

// Restore takes conversations out of the trash.
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

// where has Before and Profile as its arguments.
func (p Pruning) where() string {
	if p.TrashOnly {
		return `c.deleted < ?1 AND (?2 = '' OR c.profile = ?2)`
	}
	return `c.updated < ?1 AND (?2 = '' OR c.profile = ?2)`
}

// Pruning is which conversations may be removed for good.
type Pruning struct {
	Before    time.Time // last used, or with TrashOnly put into the trash, before
	TrashOnly bool
	Profile   string // empty: every profile
}

// Prune removes those of the conversations for good that still are what Pruning
// says and for which nobody waits for an answer: what they held is overwritten in
// the file and gone from its log. It returns how many were removed.
func (s *Store) Prune(ctx context.Context, p Pruning, ids ...string) (removed int, err error) {
	if _, err := s.db.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
		return 0, s.readError(err)
	}
	if err := s.write(ctx, func(tx *sql.Tx) error {
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
				// Children go before their parents do, which they refer to.
				`UPDATE turns SET parent = NULL WHERE conversation = ?`,
				`DELETE FROM conversations WHERE id = ?`,
			} {
				if _, err := tx.ExecContext(ctx, statement, id); err != nil {
					return err
				}
			}
		}
		// The index only marks rows as deleted until it is merged.
		_, err = tx.ExecContext(ctx, `INSERT INTO turns_index(turns_index) VALUES('optimize'); INSERT INTO titles_index(titles_index) VALUES('optimize')`)
		return err
	}); err != nil || removed == 0 {
		return 0, err
	}
	// Another process that reads just now keeps the log from being emptied; it is
	// emptied with the next checkpoint.
	var busy, log, moved int
	err = s.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved)
	return removed, s.readError(err)
}
