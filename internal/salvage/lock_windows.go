package salvage

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock blocks every SQLite connection to a database file until f is closed. It
// reports false if another process has the file open. f must be open for writing. On
// a file system without locks it locks nothing and reports true.
func lock(f *os.File) (ok bool) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, lockLength, 0, &windows.Overlapped{Offset: lockOffset})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION) && !errors.Is(err, windows.ERROR_IO_PENDING)
}
