package salvage

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock keeps every SQLite connection out of a database file until f is closed; ok
// is false when another process has it open. The file must be open for writing. A
// file system without locks locks nothing.
func lock(f *os.File) (ok bool) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, lockLength, 0, &windows.Overlapped{Offset: lockOffset})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION) && !errors.Is(err, windows.ERROR_IO_PENDING)
}
