//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// startedWithoutStdout reports whether the process was started without stdout, as with
// >&- in a shell. Go's runtime then opens /dev/null for reading and writing, whereas
// > /dev/null opens it only for writing. Daemons and programs such as Python and Node
// open it for both, but then usually discard stderr, too.
func startedWithoutStdout(out, err *os.File) bool {
	return isReadWriteNull(out) && !isReadWriteNull(err)
}

// isReadWriteNull reports whether f is /dev/null, open for reading and writing.
func isReadWriteNull(f *os.File) bool {
	var null, got unix.Stat_t
	if unix.Stat(os.DevNull, &null) != nil || unix.Fstat(int(f.Fd()), &got) != nil || got.Mode&unix.S_IFMT != unix.S_IFCHR || got.Rdev != null.Rdev {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
