package service

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// ErrNewer says that a newer hobnob wrote the store.
var ErrNewer = errors.New("it was written by a newer hobnob")

// CheckSQLite looks for damage in the store at path without changing it, and
// returns how many conversations are in it. A store that does not exist has none;
// what cannot be opened is sqlite.ErrNoAccess, sqlite.ErrReadOnly or sqlite.ErrBusy,
// and every other error but ErrNewer says that the file is of no use.
func CheckSQLite(ctx context.Context, path string) (conversations int, err error) {
	db, err := sqlite.OpenExisting(ctx, path, schema)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	conversations, err = checkDatabase(ctx, db.DB)
	if err != nil {
		err = fmt.Errorf("cannot use %s: %w", path, sqlite.Explain(err))
	}
	return conversations, err
}

func checkDatabase(ctx context.Context, db *sql.DB) (conversations int, err error) {
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return 0, err
	}
	if version > len(schema.Migrations) {
		return 0, ErrNewer
	}
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
