package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many columns a line takes, which may hold SGR sequences.
func Width(line string) int { return ansi.StringWidth(line) }

// Wrap breaks the lines of a clean text into rows of at most width columns,
// between words where they fit. The rows after the first of a line are indented by
// indent columns, as long as half of the width is left. No row ends with a space.
func Wrap(text string, width, indent int) string {
	indent = min(indent, width/2)
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		cells, _ := split(line, "")
		if columnsOf(cells) <= width {
			rows = append(rows, paint(trimRight(cells)))
			continue
		}
		n := 0
		for n < len(cells) && columnsOf(cells[:n+1]) <= indent {
			n++
		}
		for _, row := range quoted(cells[:n], blanks(indent), wrap(cells[n:], width-indent)) {
			rows = append(rows, paint(trimRight(row)))
		}
	}
	return strings.Join(rows, "\n")
}
