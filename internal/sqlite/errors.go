package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Errors of a database, all of kind failure.History.
var (
	// ErrDamaged means that the file is not a database or that its pages are
	// inconsistent.
	ErrDamaged error = failure.New(failure.History, failure.Plain("repair it with hobnob doctor --history"), "the database file is damaged")
	// ErrBusy means that another process held the write lock for longer than 30 s.
	ErrBusy error = failure.New(failure.History, failure.Plain("retry when the other hobnob has finished"), "the database is locked by another process")
	// ErrFull means that the disk has no space for the file, its log or a temporary
	// file.
	ErrFull error = failure.New(failure.History, failure.Plain("free some space, or remove conversations: hobnob conversations prune --older-than 90d"), "the disk is full")
	// ErrReadOnly means that the file belongs to another program or cannot be
	// written.
	ErrReadOnly error = failure.New(failure.History, failure.Plain(look), "the database is read-only")
	// ErrNoAccess means that the file, its log or their directory cannot be opened or
	// created. The file itself may be intact.
	ErrNoAccess error = failure.New(failure.History, failure.Plain(look), "the database file, its log or their directory is not accessible")
)

// NewerError means that a newer hobnob wrote the file. The known tables can be read,
// and nothing is ever written.
type NewerError struct{ Path string }

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer hobnob and is opened read-only", e.Path)
}

// Failure implements failure.Explainer.
func (e *NewerError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.History, Hint: failure.Plain("update hobnob")}
}

const look = "run hobnob doctor to find the cause"

// Explain wraps a driver error in ErrDamaged, ErrBusy, ErrFull, ErrReadOnly or
// ErrNoAccess by its result code (https://www.sqlite.org/rescode.html), and errors
// about permissions in ErrNoAccess. It returns other errors, and errors that it has
// already wrapped, unchanged.
func Explain(err error) error {
	kinds := map[int]error{
		sqlite3.SQLITE_CORRUPT: ErrDamaged, sqlite3.SQLITE_NOTADB: ErrDamaged,
		sqlite3.SQLITE_BUSY: ErrBusy, sqlite3.SQLITE_LOCKED: ErrBusy,
		sqlite3.SQLITE_READONLY: ErrReadOnly, sqlite3.SQLITE_PERM: ErrReadOnly,
		sqlite3.SQLITE_CANTOPEN: ErrNoAccess,
	}
	kind := kinds[code(err)]
	if errors.Is(err, errLogInUse) {
		kind = ErrBusy
	}
	if isFull(err) {
		kind = ErrFull
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrNotExist) {
		kind = ErrNoAccess
	}
	for _, known := range kinds {
		if errors.Is(err, known) {
			return err
		}
	}
	if kind == nil || errors.Is(err, ErrFull) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// isFull reports whether a driver error means that the disk is full. The log index
// has its own result code.
func isFull(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code() == sqlite3.SQLITE_FULL || e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}

// code returns the primary result code of a driver error, or 0 for any other error.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// isBusy reports whether err is caused by another process and is therefore temporary.
func isBusy(err error) bool {
	primary := code(err)
	return primary == sqlite3.SQLITE_BUSY || primary == sqlite3.SQLITE_LOCKED || errors.Is(err, errLogInUse)
}
