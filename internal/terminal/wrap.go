package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

// Width returns the width of a line in columns. SGR sequences do not count.
func Width(line string) int { return ansi.StringWidth(line) }

// Wrap breaks the lines of clean text into rows of at most width columns, between words
// where possible. Continuation rows are indented by indent columns, but at most by half
// of width. No row ends with a space.
func Wrap(text string, width, indent int) string {
	indent = min(indent, width/2)
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		row, _ := cells.Parse(line, "")
		if row.Columns() <= width {
			rows = append(rows, row.TrimRight().String())
			continue
		}
		n := 0
		for n < len(row) && row[:n+1].Columns() <= indent {
			n++
		}
		for _, part := range cells.Prefix(row[:n], cells.Blanks(indent), row[n:].Wrap(width-indent)) {
			rows = append(rows, part.TrimRight().String())
		}
	}
	return strings.Join(rows, "\n")
}
