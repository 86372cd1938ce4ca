//go:build unix

package terminal

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// ownsTerminal reports whether a pager that is started here could use the terminal:
// in the background it would stop until somebody brings it back.
func ownsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return !ok || inForeground(file)
}

// disableStop makes Ctrl-Z a key like others; SaveModes undoes it.
func disableStop(w io.Writer) {
	file, ok := w.(*os.File)
	if !ok {
		return
	}
	if state, err := attributes(file); err == nil {
		state.Cc[unix.VSUSP] = disabledKey
		_ = setAttributes(file, state)
	}
}
