package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
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
		result, err := tx.ExecContext(ctx, `UPDATE conversations SET head = ?, updated = ? WHERE id = ?`, turn.ID, millis(s.now()), turn.Conversation)
		return changedOne(result, err, "conversation "+turn.Conversation)
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
			result, err := tx.ExecContext(ctx, `UPDATE turns SET mark = ? WHERE id = ?`, null(string(turn.Mark)), turn.ID)
			if err := changedOne(result, err, "turn "+turn.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete puts conversations into the trash.
func (s *Store) Delete(ctx context.Context, ids ...string) error {
	return s.setDeleted(ctx, millis(s.now()), ids)
}

// Restore takes conversations out of the trash.
func (s *Store) Restore(ctx context.Context, ids ...string) error {
	return s.setDeleted(ctx, nil, ids)
}

func (s *Store) setDeleted(ctx context.Context, deleted any, ids []string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			result, err := tx.ExecContext(ctx, `UPDATE conversations SET deleted = ? WHERE id = ?`, deleted, id)
			if err := changedOne(result, err, "conversation "+id); err != nil {
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

// prunable reports whether a conversation may be removed now.
func (s *Store) prunable(ctx context.Context, tx *sql.Tx, p Pruning, id string) (bool, error) {
	var due bool
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM conversations c WHERE `+p.where()+` AND c.id = ?3`, millis(p.Before), p.Profile, id).Scan(&due); err != nil || !due {
		return false, err
	}
	err := sqlite.Each(ctx, tx, `SELECT DISTINCT owner FROM turns WHERE conversation = ? AND state = 'pending' AND expires > ?`, []any{id, millis(s.now())}, func(rows *sql.Rows) error {
		var owner string
		err := rows.Scan(&owner)
		due = due && !s.alive(owner)
		return err
	})
	return due, err
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
	if removed, err = s.prune(ctx, p, ids); err != nil || removed == 0 {
		return 0, err
	}
	// Another process that reads just now keeps the log from being emptied; it is
	// emptied with the next checkpoint.
	var busy, log, moved int
	err = s.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved)
	return removed, s.readError(err)
}

func (s *Store) prune(ctx context.Context, p Pruning, ids []string) (removed int, err error) {
	return removed, s.write(ctx, func(tx *sql.Tx) error {
		removed = 0
		for _, id := range ids {
			if ok, err := s.prunable(ctx, tx, p, id); err != nil || !ok {
				if err != nil {
					return err
				}
				continue
			}
			removed++
			if _, err := tx.ExecContext(ctx, `DELETE FROM turns_index WHERE rowid IN (SELECT seq FROM turns WHERE conversation = ?)`, id); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM titles_index WHERE rowid = (SELECT rowid FROM conversations WHERE id = ?)`, id); err != nil {
				return err
			}
			// Children go before their parents do, which they refer to.
			if _, err := tx.ExecContext(ctx, `UPDATE turns SET parent = NULL WHERE conversation = ?`, id); err != nil {
				return err
			}
			result, err := tx.ExecContext(ctx, `DELETE FROM conversations WHERE id = ?`, id)
			if err := changedOne(result, err, "conversation "+id); err != nil {
				return err
			}
		}
		// The index only marks rows as deleted until it is merged.
		_, err := tx.ExecContext(ctx, `INSERT INTO turns_index(turns_index) VALUES('optimize'); INSERT INTO titles_index(titles_index) VALUES('optimize')`)
		return err
	})
}

// Unanswered returns the turns without an answer that no process waits for, of
// one conversation or, with an empty id, of a profile, oldest first.
func (s *Store) Unanswered(ctx context.Context, profile, conversation string) ([]Turn, error) {
	open, err := s.turns(ctx, `SELECT `+turnColumns+` FROM turns t JOIN conversations c ON c.id = t.conversation
		WHERE t.state <> 'answered' AND c.deleted IS NULL
		AND CASE WHEN ?2 = '' THEN c.profile = ?1 ELSE c.id = ?2 END ORDER BY t.seq`, profile, conversation)
	return slices.DeleteFunc(open, func(t Turn) bool { return t.State == Pending }), err
}
