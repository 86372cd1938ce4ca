//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// openUnnamed returns nil: this system cannot give a name to a file without one.
func openUnnamed(string) *os.File { return nil }

func link(*os.File, string) error { return errors.ErrUnsupported }
