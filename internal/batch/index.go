package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// index holds ids in a temporary database, so that its memory does not grow with the
// input. It is not safe for concurrent use.
type index struct {
	db               *sql.DB
	tx               *sql.Tx
	insert, find, up *sql.Stmt
}

// recorded is the line of an id that is in the output of an earlier run and that the
// input has not used yet.
const recorded = 0

func newIndex(ctx context.Context) (*index, error) {
	x := &index{}
	err := x.open(context.WithoutCancel(ctx)) // the transaction outlives an interrupt
	if err != nil {
		_ = x.Close()
		return nil, fmt.Errorf("cannot create a temporary index of ids: %w", sqlite.Explain(err))
	}
	return x, nil
}

func (x *index) open(ctx context.Context) (err error) {
	if x.db, err = sqlite.OpenTemporary(ctx, "CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID"); err != nil {
		return err
	}
	if x.tx, err = x.db.BeginTx(ctx, nil); err != nil {
		return err
	}
	for statement, text := range map[**sql.Stmt]string{
		&x.insert: "INSERT OR IGNORE INTO ids VALUES (?, ?)",
		&x.find:   "SELECT line FROM ids WHERE id = ?",
		&x.up:     "UPDATE ids SET line = ? WHERE id = ?",
	} {
		if *statement, err = x.tx.PrepareContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// add adds an id and its line. If the index has the id already, add returns its line and
// false.
func (x *index) add(ctx context.Context, id string, line int) (first int, added bool, err error) {
	ctx = context.WithoutCancel(ctx)
	result, err := x.insert.ExecContext(ctx, id, line)
	if err != nil {
		return 0, false, x.explain(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return line, true, err
	}
	if err := x.find.QueryRowContext(ctx, id).Scan(&first); err != nil {
		return 0, false, x.explain(err)
	}
	if first == recorded && line != recorded {
		_, err = x.up.ExecContext(ctx, line, id)
	}
	return first, false, x.explain(err)
}

// has reports whether the index has an id.
func (x *index) has(ctx context.Context, id string) (bool, error) {
	var line int
	err := x.find.QueryRowContext(context.WithoutCancel(ctx), id).Scan(&line)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, x.explain(err)
}

func (x *index) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the temporary index of ids failed: %w", sqlite.Explain(err))
}

// Close removes the index.
func (x *index) Close() error {
	if x.tx != nil {
		_ = x.tx.Rollback()
	}
	if x.db == nil {
		return nil
	}
	return x.db.Close()
}
