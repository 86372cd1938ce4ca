//go:build unix

package salvage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock blocks every SQLite connection to a database file until f is closed. It
// reports false if another process has the file open. f must be open for writing.
// Opening and closing the file elsewhere in this process drops the lock. On a file
// system without locks it locks nothing and reports true.
func lock(f *os.File) (ok bool) {
	err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: lockOffset, Len: lockLength})
	return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES)
}
