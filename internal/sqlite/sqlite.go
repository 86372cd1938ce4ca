// Package sqlite opens the SQLite files of hobnob the one way that keeps what
// was committed: write-ahead log, synchronous=FULL, transactions that take the
// write lock when they begin, private file modes and a schema version. It is a
// shared leaf and the only owner of the SQLite driver; it knows no table.
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

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

const (
	// busyTimeout is how long a writer waits for the others. A commit takes
	// milliseconds, so a longer wait means that a process hangs with the lock.
	busyTimeout = 30 * time.Second
	// busyStep is how long SQLite itself waits, deaf to any context.
	busyStep = 50 * time.Millisecond
)

// Memory is the path of a database that lives and dies with its DB.
const Memory = ":memory:"

// The errors of a database, all of kind failure.History.
var (
	// ErrDamaged says that the file is no database or that its pages contradict each other.
	ErrDamaged error = failure.New(failure.History, failure.Plain("repair it with hobnob doctor --history"), "the database file is damaged")
	// ErrBusy says that another process held the write lock for longer than 30 s.
	ErrBusy error = failure.New(failure.History, failure.Plain("another hobnob holds it; try again"), "the database is locked by another process")
	// ErrReadOnly says that the file has a newer schema, or belongs to another program, or cannot be written.
	ErrReadOnly error = failure.New(failure.History, failure.Plain(look), "the database can only be read")
	// ErrNoAccess says that the file, one of its log or their directory cannot be opened or made; nothing is known of what is in it.
	ErrNoAccess error = failure.New(failure.History, failure.Plain(look), "the database file, its log or their directory cannot be used")
)

const look = "to see why, and what to do: hobnob doctor"

// Schema is what a database file of one kind holds.
type Schema struct {
	// ApplicationID marks the file (PRAGMA application_id), so that a file of
	// another program is refused instead of changed.
	ApplicationID int32
	// Migrations bring a file up to date; one whose user_version is n has had
	// the first n. They run in one transaction.
	Migrations []Migration
}

// Migration is one step of a schema.
type Migration func(ctx context.Context, tx *sql.Tx) error

// Script is a migration that runs SQL statements.
func Script(statements string) Migration {
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statements)
		return err
	}
}

// DB is an open database with one connection.
type DB struct {
	*sql.DB
	// ReadOnly is set when the file was written by a newer version of hobnob:
	// it is read as far as the known tables go, and never changed.
	ReadOnly bool
	// Version is that of the schema when the file was opened.
	Version int
}

// Open opens or creates the database at path and brings its schema up to date.
// The directory is made with mode 0700 and the file with 0600. Errors wrap
// ErrDamaged, ErrBusy, ErrReadOnly or ErrNoAccess where they apply and name the file.
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

// OpenExisting opens the database at path for reading alone. A missing file is fs.ErrNotExist.
func OpenExisting(ctx context.Context, path string, schema Schema) (*DB, error) {
	_, err := os.Stat(path)
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
	db, err := connect(ctx, path, mode)
	if err != nil {
		return nil, 0, err
	}
	version, err := check(ctx, db, schema)
	if err != nil {
		_ = db.Close()
	}
	return &DB{DB: db, ReadOnly: mode == "ro", Version: version}, version, err
}

// create makes an empty private file, because SQLite would make it with the
// process's umask. It must not touch a file that exists: closing a second
// descriptor of a database drops the locks that SQLite holds on it.
func create(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// patiently runs fn again while the database is busy, for busyTimeout or until
// ctx ends. SQLite's own waiting heeds no context, and some locks, such as the
// one that turns a new file to WAL, it takes without waiting at all.
func patiently(ctx context.Context, fn func() error) error {
	for deadline := time.Now().Add(busyTimeout); ; {
		err := fn()
		if primary := code(err); primary != sqlite3.SQLITE_BUSY && primary != sqlite3.SQLITE_LOCKED || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond * time.Duration(1+rand.IntN(20))):
		}
	}
}

// Write runs fn in one transaction that has the write lock from its beginning;
// it waits for other writers for at most 30 s or until ctx ends.
func (db *DB) Write(ctx context.Context, fn func(*sql.Tx) error) error {
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

// All runs a query and returns what scan reads of each row. Errors are those of the
// driver and of scan; the rows before one are returned with it.
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

// Column reads the row of a query that has one column, for All.
func Column[T any](rows *sql.Rows, value *T) error { return rows.Scan(value) }

// connect opens one connection. A process whose file was replaced by a repaired
// one while it waited for the lock opens again: the log that it would write
// belongs to the new file.
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
	}
	name := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return "file:" + (&url.URL{Path: name}).EscapedPath() + "?" + query.Encode()
}

// check returns the schema version of the file, 0 for an empty one. What it reads
// is no snapshot: another process may make the tables meanwhile, so the mark is
// read once more before a file with tables is called a stranger.
func check(ctx context.Context, db *sql.DB, schema Schema) (int, error) {
	var id, version, tables int
	for range 2 {
		before := tables
		row := db.QueryRowContext(ctx, "SELECT (SELECT * FROM pragma_application_id()), (SELECT * FROM pragma_user_version()), (SELECT count(*) FROM sqlite_master)")
		if err := row.Scan(&id, &version, &tables); err != nil {
			return 0, err
		}
		if id == int(schema.ApplicationID) {
			return version, nil
		}
		if tables == before {
			break
		}
	}
	if id != 0 || version != 0 || tables != 0 {
		return 0, fmt.Errorf("it belongs to another program (application id %#x)", id)
	}
	return 0, nil
}

// migrate runs what is missing in one transaction; the version is read again
// inside it, because another process may have been faster.
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

// Explain wraps a driver error in ErrDamaged, ErrBusy, ErrReadOnly or ErrNoAccess
// by its result code (https://www.sqlite.org/rescode.html), and what the system
// forbids in ErrNoAccess; others, and what is explained already, pass as they are.
func Explain(err error) error {
	kinds := map[int]error{
		sqlite3.SQLITE_CORRUPT: ErrDamaged, sqlite3.SQLITE_NOTADB: ErrDamaged,
		sqlite3.SQLITE_BUSY: ErrBusy, sqlite3.SQLITE_LOCKED: ErrBusy,
		sqlite3.SQLITE_READONLY: ErrReadOnly, sqlite3.SQLITE_PERM: ErrReadOnly,
		sqlite3.SQLITE_CANTOPEN: ErrNoAccess,
	}
	kind := kinds[code(err)]
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrNotExist) {
		kind = ErrNoAccess
	}
	for _, known := range kinds {
		if errors.Is(err, known) {
			return err
		}
	}
	if kind == nil {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// code is the primary result code of a driver error, 0 for any other error.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}
