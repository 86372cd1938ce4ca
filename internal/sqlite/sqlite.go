// Package sqlite opens hobnob's SQLite files with settings that preserve committed data:
// write-ahead log, synchronous=FULL, transactions that take the write lock when they
// begin, private file modes and a schema version. Deleted data is overwritten with
// zeros. The schemas are in the packages that use them.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite"
)

const (
	// busyTimeout limits the wait for other processes. A commit takes milliseconds,
	// so a longer wait means that a process hangs while it holds the lock.
	busyTimeout = 30 * time.Second
	// busyStep is how long SQLite itself waits, ignoring any context.
	busyStep = 50 * time.Millisecond
)

// Memory is the path of a database in memory.
const Memory = ":memory:"

// Schema describes one kind of database file.
type Schema struct {
	// ApplicationID marks the file (PRAGMA application_id), so that a file of
	// another program is refused instead of changed.
	ApplicationID int32
	// Migrations bring a file up to date in one transaction. A file whose
	// user_version is n has the first n.
	Migrations []Migration
}

// Migration is one step of a schema.
type Migration func(ctx context.Context, tx *sql.Tx) error

// Script returns a migration that runs SQL statements.
func Script(statements string) Migration {
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statements)
		return err
	}
}

// DB is an open database with one connection.
type DB struct {
	*sql.DB
	// Version is the schema version of the file when it was opened.
	Version int

	readOnly error  // the result of Writable
	remove   string // a directory that Close removes
}

// Close closes the database.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.remove != "" {
		err = errors.Join(err, os.RemoveAll(db.remove))
	}
	return err
}

// Writable returns nil, a *NewerError, or an ErrReadOnly if the database was opened
// read-only.
func (db *DB) Writable() error { return db.readOnly }

// Open opens or creates the database at path and brings its schema up to date. It
// creates the directory with mode 0700 and the file with 0600. Errors name the file
// and wrap ErrDamaged, ErrBusy, ErrFull, ErrReadOnly or ErrNoAccess where they apply.
func Open(ctx context.Context, path string, schema Schema) (*DB, error) {
	if path != Memory {
		if err := create(path); err != nil {
			return nil, Explain(err)
		}
	}
	db, version, err := open(ctx, path, "rwc", schema)
	if err == nil && version > len(schema.Migrations) {
		_ = db.Close()
		db, _, err = open(ctx, path, "ro", schema)
	} else if err == nil && version < len(schema.Migrations) {
		if err = db.migrate(ctx, schema); err != nil {
			_ = db.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, Explain(err))
	}
	return db, nil
}

// OpenExisting opens the database at path read-only. It returns fs.ErrNotExist if the
// file is missing or has no schema.
func OpenExisting(ctx context.Context, path string, schema Schema) (*DB, error) {
	err := checkKinds(path)
	if errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if err != nil {
		return nil, Explain(err)
	}
	db, version, err := open(ctx, path, "ro", schema)
	if err == nil && version == 0 {
		_ = db.Close()
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, Explain(err))
	}
	return db, nil
}

// open connects to a database and returns the version of its schema.
func open(ctx context.Context, path, mode string, schema Schema) (*DB, int, error) {
	if path != Memory {
		if err := checkLog(ctx, path); err != nil {
			return nil, 0, err
		}
	}
	db, err := connect(ctx, path, mode)
	if err != nil {
		return nil, 0, err
	}
	version, err := check(ctx, db, schema)
	if err != nil {
		_ = db.Close()
	}
	opened := &DB{DB: db, Version: version}
	switch {
	case version > len(schema.Migrations):
		opened.readOnly = &NewerError{Path: path}
	case mode == "ro":
		opened.readOnly = fmt.Errorf("cannot write %s: %w", path, ErrReadOnly)
	}
	return opened, version, err
}

// patiently retries fn while the database is busy, until busyTimeout has passed or
// ctx ends. SQLite's own waiting ignores contexts, and SQLite does not wait at all
// for some locks, such as the lock to switch a new file to WAL.
func patiently(ctx context.Context, fn func() error) error {
	for deadline := time.Now().Add(busyTimeout); ; {
		err := fn()
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond * time.Duration(1+rand.IntN(20))):
		}
	}
}

// Write runs fn in one transaction that takes the write lock when it begins. It waits
// for other writers for up to 30 s or until ctx ends. If Writable returns an error,
// Write returns it at once.
func (db *DB) Write(ctx context.Context, fn func(*sql.Tx) error) error {
	if err := db.Writable(); err != nil {
		return err
	}
	var tx *sql.Tx
	if err := patiently(ctx, func() (err error) { tx, err = db.BeginTx(ctx, nil); return err }); err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Queryer is a database or a transaction.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// All runs a query and returns its rows as read by scan. If the driver or scan fails,
// All returns the error and the rows before it.
func All[T any](ctx context.Context, db Queryer, query string, args []any, scan func(*sql.Rows, *T) error) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		var row T
		if err := scan(rows, &row); err != nil {
			return all, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// Column is the scan function of All for queries with one column.
func Column[T any](rows *sql.Rows, value *T) error { return rows.Scan(value) }

// connect opens one connection. If a repaired file replaced the file during the wait
// for the lock, it connects again, because its log would belong to the new file.
func connect(ctx context.Context, path, mode string) (db *sql.DB, err error) {
	for {
		before, _ := os.Stat(path)
		err = patiently(ctx, func() error {
			if db, err = sql.Open("sqlite", dsn(path, mode)); err != nil {
				return err
			}
			db.SetMaxOpenConns(1)
			if err = db.PingContext(ctx); err != nil {
				_ = db.Close()
			}
			return err
		})
		after, _ := os.Stat(path)
		if before == nil || after == nil || os.SameFile(before, after) || ctx.Err() != nil {
			return db, err
		}
		if err == nil {
			_ = db.Close()
		}
	}
}

func dsn(path, mode string) string {
	query := url.Values{
		"_txlock":       {"immediate"},
		"_busy_timeout": {fmt.Sprint(busyStep.Milliseconds())},
		"_foreign_keys": {"on"},
		"_dqs":          {"false"},
		"_defensive":    {"true"},
		"_error_rc":     {"true"},
		"mode":          {mode},
	}
	if path == Memory {
		query.Set("mode", "memory")
		return "file::memory:?" + query.Encode()
	}
	if mode != "ro" {
		query.Set("_journal_mode", "WAL")
		query.Set("_synchronous", "FULL")
		query.Set("_pragma", "secure_delete(ON)")
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			query.Set("_auto_vacuum", "INCREMENTAL") // for Compact; it would change a file with tables
		}
	}
	name := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return "file:" + (&url.URL{Path: name}).EscapedPath() + "?" + query.Encode()
}

// check returns the schema version of the file, or 0 if it is empty. It does not read
// a snapshot: another process may create the tables at the same time. Therefore it
// reads the application ID again before it rejects a file with tables.
func check(ctx context.Context, db *sql.DB, schema Schema) (int, error) {
	var id, version, tables int
	for range 2 {
		before := tables
		row := db.QueryRowContext(ctx, "SELECT (SELECT * FROM pragma_application_id()), (SELECT * FROM pragma_user_version()), (SELECT count(*) FROM sqlite_master)")
		if err := row.Scan(&id, &version, &tables); err != nil {
			return 0, err
		}
		if id == int(schema.ApplicationID) && version < 0 {
			return 0, fmt.Errorf("%w: invalid schema version %d", ErrDamaged, version)
		}
		if id == int(schema.ApplicationID) {
			return version, nil
		}
		if tables == before {
			break
		}
	}
	if id != 0 || version != 0 || tables != 0 {
		return 0, fmt.Errorf("file of another program (application id %#x)", id)
	}
	return 0, nil
}

// migrate runs the missing migrations in one transaction. It reads the version again
// inside the transaction, because another process may have run them first.
func (db *DB) migrate(ctx context.Context, schema Schema) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		for ; version < len(schema.Migrations); version++ {
			if err := schema.Migrations[version](ctx, tx); err != nil {
				return fmt.Errorf("migration %d: %w", version+1, err)
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", schema.ApplicationID, version))
		return err
	})
}
