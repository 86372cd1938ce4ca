// Package cells lays text out on the grid of a terminal: a line is a row of
// cells, each a grapheme cluster with its width in columns and its style.
//
// It imports no other packages of hobnob. Text must be clean: SGR sequences are the
// only control sequences allowed.
package cells

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Reset is the SGR sequence that ends all styles.
const Reset = "\x1b[0m"

const (
	// maxCluster limits the size of a joined cluster, in bytes. Without it, letters
	// with thousands of accents, each in its own style, would take quadratic time.
	maxCluster = 256
	// maxPoints is the maximum number of code points in a cluster. The longest emoji have
	// eleven.
	maxPoints = 16
)

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

// Parse splits a line into cells. Style is in effect at the beginning of the line. Parse
// returns the style in effect at its end. Like Bounded, it replaces all but the first 16
// zero-width clusters in a row by their number.
func Parse(line, style string) (Row, string) {
	var row Row
	invisible := 0 // zero-width clusters in a row
	show := func(text string) {
		for _, r := range text {
			row = append(row, Cell{string(r), 1, style})
		}
	}
	state := byte(0)
	for line != "" {
		sequence, width, n, next := Decode(line, state)
		line, state = line[n:], next
		switch {
		case !strings.HasPrefix(sequence, "\x1b["):
			if width > 0 {
				show(surplus(invisible))
				invisible = 0
			} else if invisible++; invisible > maxPoints {
				continue
			}
			start, sign := bound(sequence)
			row = append(row, Cell{start, width, style})
			show(sign)
		case sequence == Reset, sequence == "\x1b[m":
			style = ""
		default:
			style += sequence
		}
	}
	show(surplus(invisible))
	return row.Join(), style
}

// Bounded returns the first 16 code points of a grapheme cluster, followed by the number
// of the others in a visible form, such as <+984>.
func Bounded(cluster string) string {
	start, sign := bound(cluster)
	return start + sign
}

func bound(cluster string) (start, sign string) {
	if len(cluster) <= maxPoints {
		return cluster, ""
	}
	points := []rune(cluster)
	if len(points) <= maxPoints {
		return cluster, ""
	}
	return string(points[:maxPoints]), surplus(len(points))
}

// surplus returns a visible sign for all but the first 16 of n characters, or "".
func surplus(n int) string {
	if n <= maxPoints {
		return ""
	}
	return fmt.Sprintf("<+%d>", n-maxPoints)
}

// ParseLines parses text of several lines. It removes spaces at line ends and empty lines
// at either end.
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

// Decode is like [ansi.DecodeSequence] without a parser, but with the widths of
// [ansi.StringWidth]: an ASCII character and the marks that combine with it, as in the
// keycap emoji of a digit, are one cluster.
func Decode(line string, state byte) (sequence string, width, n int, next byte) {
	sequence, width, n, next = ansi.DecodeSequence(line, state, nil)
	if n == 1 && width == 1 && len(line) > 1 && line[1] >= utf8.RuneSelf {
		sequence, width = ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		n = len(sequence)
	}
	return sequence, width, n, next
}

// Join merges adjacent cells that form one grapheme cluster. Terminals do the same if the
// style does not change between them.
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

// LongestWord returns the width of the longest part of r without a break opportunity.
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

// String returns the text of r with SGR sequences for its styles, reset at the end.
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
