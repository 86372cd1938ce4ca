package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// errLogInUse means that the log of a database cannot be emptied.
var errLogInUse = errors.New("another process is reading an earlier state of the database")

// pagesAtOnce limits what one step of shrink adds to the log, to about 1 MiB: moving
// a page changes a few others.
const pagesAtOnce = 32

// Compact rewrites the file without deleted data and empties its log. If the disk is
// too full for that, it first removes free pages from the file; if that is not
// enough, it returns ErrFull. Other writers must wait until it returns. Each step
// waits for other processes for up to 30 s or until ctx ends. Errors are wrapped by
// Explain.
func (db *DB) Compact(ctx context.Context) error {
	err := db.vacuum(ctx)
	if errors.Is(err, ErrFull) {
		if err = db.shrink(ctx); err == nil {
			err = db.vacuum(ctx)
		}
	}
	return errors.Join(err, db.EmptyLog(ctx))
}

// vacuum rewrites the file. Afterwards shrink can remove free pages from it.
func (db *DB) vacuum(ctx context.Context) error {
	var mode int
	if err := db.QueryRowContext(ctx, `PRAGMA auto_vacuum`).Scan(&mode); err != nil {
		return Explain(err)
	}
	statement := `VACUUM`
	if mode == 0 {
		statement = `PRAGMA auto_vacuum = INCREMENTAL; VACUUM`
	}
	return Explain(patiently(ctx, func() error { _, err := db.ExecContext(ctx, statement); return err }))
}

// shrink removes free pages from the file in small steps, each of which frees space
// for the next one. It does nothing to a file created by an older hobnob.
func (db *DB) shrink(ctx context.Context) error {
	for before := -1; ; {
		if err := db.EmptyLog(ctx); err != nil {
			return err
		}
		var free int
		if err := db.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free); err != nil {
			return Explain(err)
		}
		if free == 0 || free == before {
			return nil
		}
		before = free
		if err := db.Write(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, pagesAtOnce))
			return err
		}); err != nil {
			return Explain(err)
		}
	}
}

// EmptyLog moves the log into the file and truncates it. It waits for processes that
// read the database.
func (db *DB) EmptyLog(ctx context.Context) error {
	err := patiently(ctx, func() error {
		var inUse bool
		var frames, moved int
		if err := db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&inUse, &frames, &moved); err != nil {
			return err
		}
		if inUse {
			return errLogInUse
		}
		return nil
	})
	return Explain(err)
}
