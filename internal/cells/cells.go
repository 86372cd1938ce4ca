// Package cells lays text out on the grid of a terminal: a line is a row of
// cells, each a grapheme cluster with its width in columns and its style.
//
// It must not know where the text comes from or goes to, and imports nothing
// else of hobnob. Text has to be clean: SGR sequences are the only controls
// allowed in it.
package cells

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Reset is the SGR sequence that ends all styles.
const Reset = "\x1b[0m"

// maxCluster limits the size of a joined cluster, in bytes. Without it, letters
// with thousands of accents, each in its own style, would take quadratic time.
const maxCluster = 256

// Cell is one grapheme cluster.
type Cell struct {
	Text  string
	Width int    // in columns
	Style string // the SGR sequences in effect, empty for none
}

// Blank reports whether c is a space.
func (c Cell) Blank() bool { return c.Text == " " }

// Row is a line of cells.
type Row []Cell

// Parse splits a line into cells. It begins with a style and returns the style
// in effect at the end.
func Parse(line, style string) (Row, string) {
	var row Row
	state := byte(0)
	for line != "" {
		sequence, width, n, next := Decode(line, state)
		line, state = line[n:], next
		switch {
		case !strings.HasPrefix(sequence, "\x1b["):
			row = append(row, Cell{sequence, width, style})
		case sequence == Reset, sequence == "\x1b[m":
			style = ""
		default:
			style += sequence
		}
	}
	return row.Join(), style
}

// ParseLines is Parse for text of several lines, without spaces at line ends and
// without empty lines at either end.
func ParseLines(text string) []Row {
	var rows []Row
	style := ""
	for line := range strings.SplitSeq(text, "\n") {
		var row Row
		row, style = Parse(line, style)
		rows = append(rows, row.TrimRight())
	}
	return Trim(rows)
}

// Decode is [ansi.DecodeSequence] without a parser, with the widths of
// [ansi.StringWidth]: it keeps an ASCII character together with the marks that
// combine with it, as in the keycap emoji of a digit.
func Decode(line string, state byte) (sequence string, width, n int, next byte) {
	sequence, width, n, next = ansi.DecodeSequence(line, state, nil)
	if n == 1 && width == 1 && len(line) > 1 && line[1] >= utf8.RuneSelf {
		sequence, width = ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		n = len(sequence)
	}
	return sequence, width, n, next
}

// Join merges adjacent cells that form one grapheme cluster, as terminals do
// where the style does not change between them.
func (r Row) Join() Row {
	var joined Row
	for _, c := range r {
		if last := len(joined) - 1; last >= 0 && c.Text != "" && c.Text[0] >= utf8.RuneSelf && len(joined[last].Text) < maxCluster {
			whole := joined[last].Text + c.Text
			if first, width := ansi.FirstGraphemeCluster(whole, ansi.GraphemeWidth); len(first) == len(whole) {
				joined[last].Text, joined[last].Width = whole, width
				continue
			}
		}
		joined = append(joined, c)
	}
	return joined
}

// Blanks returns a row of n spaces, which is empty for a negative n.
func Blanks(n int) Row {
	return slices.Repeat(Row{{Text: " ", Width: 1}}, max(n, 0))
}

// Columns returns the width of r.
func (r Row) Columns() int {
	columns := 0
	for _, c := range r {
		columns += c.Width
	}
	return columns
}

// LongestWord returns the width of the longest part of r that contains no place
// to break it.
func (r Row) LongestWord() int {
	longest, word := 0, 0
	for _, c := range r {
		switch {
		case c.Blank():
			word = 0
		case c.Width > 1: // a break is possible on either side
			word = c.Width
		default:
			word += c.Width
		}
		longest = max(longest, word)
	}
	return longest
}

// TrimLeft returns r without the spaces at its beginning.
func (r Row) TrimLeft() Row {
	for len(r) > 0 && r[0].Blank() {
		r = r[1:]
	}
	return r
}

// TrimRight returns r without the spaces at its end.
func (r Row) TrimRight() Row {
	for len(r) > 0 && r[len(r)-1].Blank() {
		r = r[:len(r)-1]
	}
	return r
}

// String returns the text of r with its styles, all of them closed at the end.
func (r Row) String() string {
	var b strings.Builder
	style := ""
	for _, c := range r {
		if c.Style != style {
			if style != "" {
				b.WriteString(Reset)
			}
			b.WriteString(c.Style)
			style = c.Style
		}
		b.WriteString(c.Text)
	}
	if style != "" {
		b.WriteString(Reset)
	}
	return b.String()
}

// Trim returns rows without the empty ones at either end.
func Trim(rows []Row) []Row {
	for len(rows) > 0 && len(rows[0].TrimRight()) == 0 {
		rows = rows[1:]
	}
	for len(rows) > 0 && len(rows[len(rows)-1].TrimRight()) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// Prefix puts first before the first row and rest before the others.
func Prefix(first, rest Row, rows []Row) []Row {
	out := make([]Row, len(rows))
	for i, row := range rows {
		out[i] = slices.Concat(first, row)
		first = rest
	}
	return out
}

// Text returns rows as lines, each without spaces at its end and terminated by a
// newline.
func Text(rows []Row) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row.TrimRight().String() + "\n")
	}
	return b.String()
}
