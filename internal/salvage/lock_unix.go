//go:build unix

package salvage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps every SQLite connection out of a database file until f is closed; ok
// is false when another process has it open. The file must be open for writing.
// The process must not open and close the file elsewhere meanwhile, which drops
// the lock. A file system without locks locks nothing.
func lock(f *os.File) (ok bool) {
	err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: lockOffset, Len: lockLength})
	return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES)
}
