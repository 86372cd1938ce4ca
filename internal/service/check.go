package service

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// CheckSQLite checks the store at path for damage, without changing it, and returns
// the number of its conversations, which is 0 if it does not exist. If the store
// cannot be opened, the error is sqlite.ErrNoAccess, ErrReadOnly, ErrFull or ErrBusy,
// and for a store of a newer hobnob a *sqlite.NewerError. With any other error, the
// file is unusable.
func CheckSQLite(ctx context.Context, path string) (conversations int, err error) {
	db, err := sqlite.OpenExisting(ctx, path, schema)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	if db.Version > len(schema.Migrations) {
		return 0, &sqlite.NewerError{Path: path}
	}
	conversations, err = checkDatabase(ctx, db.DB)
	if err != nil {
		err = fmt.Errorf("cannot use %s: %w", path, sqlite.Explain(err))
	}
	return conversations, err
}

func checkDatabase(ctx context.Context, db *sql.DB) (conversations int, err error) {
	var found string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return 0, err
	}
	if found != "ok" {
		return 0, fmt.Errorf("%w: %s", sqlite.ErrDamaged, found)
	}
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM conversations`).Scan(&conversations)
	return conversations, err
}
