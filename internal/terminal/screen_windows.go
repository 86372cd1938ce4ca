package terminal

import (
	"errors"
	"os"
)

// raw returns an error: the keys of a Windows console are records, not sequences, and
// its size changes without a signal.
func raw(*os.File) (restore func() error, err error) { return nil, errors.ErrUnsupported }

func sizeOf(*os.File) (columns, rows int) { return 0, 0 }

func (s *Screen) watch() {}

func (s *Screen) unwatch() {}
