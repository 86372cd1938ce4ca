package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// OpenTemporary returns a private database that disappears when it is closed or the
// process ends. It is in memory while it is small and otherwise in a file without a
// name in the directory for temporary files. Transactions cannot be rolled back.
func OpenTemporary(ctx context.Context, schema string) (*sql.DB, error) {
	// The empty path is a temporary file (https://sqlite.org/inmemorydb.html).
	db, err := sql.Open("sqlite", "")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -256; "+schema); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("cannot create a temporary database: %w", Explain(err))
	}
	return db, nil
}
