//go:build unix

package access

import (
	"io/fs"
	"syscall"
)

// mayUse asks the system, which checks more than the mode.
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

func inodeOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}

// errReadOnlyDisk is the error for a read-only file system.
const errReadOnlyDisk = syscall.EROFS
