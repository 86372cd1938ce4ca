//go:build unix

package access

import (
	"io/fs"
	"syscall"
)

// mayUse asks the system, which knows more rules than the mode.
func mayUse(path string, wanted Use) error {
	if err := syscall.Access(path, uint32(wanted)); err != nil {
		return &fs.PathError{Op: "access", Path: path, Err: err}
	}
	return nil
}

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// errReadOnlyDisk is why nothing can be written where the modes would allow it.
const errReadOnlyDisk = syscall.EROFS
