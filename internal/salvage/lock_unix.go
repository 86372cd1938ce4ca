//go:build unix

package salvage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock keeps every SQLite out of a database file until f is closed; the error is
// ErrLocked when one has it open. The file must be open for writing. The process
// must not open and close the file elsewhere meanwhile, which drops the lock.
func Lock(f *os.File) error {
	err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: lockOffset, Len: lockLength})
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return ErrLocked
	}
	return err
}
