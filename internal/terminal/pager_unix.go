//go:build unix

package terminal

import (
	"io"
	"os"
)

// ownsTerminal reports whether a pager that is started here could use the terminal:
// in the background it would stop until somebody brings it back.
func ownsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return !ok || inForeground(file)
}
