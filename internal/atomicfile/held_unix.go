//go:build unix

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold locks a temporary file until it is closed. It returns false if another process
// removed the file first. On file systems without locks the file stays unlocked.
func hold(f *os.File) bool {
	if errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return false
	}
	_, err := os.Lstat(f.Name())
	return !errors.Is(err, os.ErrNotExist)
}

// held reports whether a process is writing a temporary file. It returns true if that
// cannot be determined.
func held(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil
}
