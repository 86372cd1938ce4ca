//go:build !(linux || darwin || freebsd)

package batch

import (
	"errors"
	"os"
)

// mapFile returns an error, because not all systems show the reader of a file what another
// process has written to a mapping of it.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }
