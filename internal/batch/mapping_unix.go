//go:build linux || darwin || freebsd

package batch

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the first bytes of a file as memory. What is written to the memory is in
// the file even if the process is killed.
func mapFile(file *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmap(memory []byte) error { return unix.Munmap(memory) }
