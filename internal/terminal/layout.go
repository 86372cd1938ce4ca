package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxCluster bounds what clusters joins to in bytes, which keeps it from taking
// long for letters with thousands of accents, each in a style of its own.
const maxCluster = 256

// cell is one grapheme cluster of a rendered line.
type cell struct {
	text  string
	width int
	style string // the SGR sequences in force, empty for none
}

func (c cell) blank() bool { return c.text == " " }

// split cuts a line, which holds no control but SGR, into cells, starting with
// and returning the style in force.
func split(line, style string) ([]cell, string) {
	var cells []cell
	state := byte(0)
	for line != "" {
		sequence, width, n, next := decode(line, state)
		line, state = line[n:], next
		switch {
		case !strings.HasPrefix(sequence, "\x1b["):
			cells = append(cells, cell{sequence, width, style})
		case sequence == sgrReset, sequence == "\x1b[m":
			style = ""
		default:
			style += sequence
		}
	}
	return clusters(cells), style
}

// decode is ansi.DecodeSequence without a parser, measured like ansi.StringWidth:
// it takes a letter of ASCII together with what combines with it, as in the emoji
// of a digit on a key.
func decode(line string, state byte) (sequence string, width, n int, next byte) {
	sequence, width, n, next = ansi.DecodeSequence(line, state, nil)
	if n == 1 && width == 1 && len(line) > 1 && line[1] >= utf8.RuneSelf {
		sequence, width = ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		n = len(sequence)
	}
	return sequence, width, n, next
}

// clusters joins the cells that are one grapheme cluster beside each other, which
// terminals show as such where no style changes between them.
func clusters(cells []cell) []cell {
	var joined []cell
	for _, c := range cells {
		if last := len(joined) - 1; last >= 0 && c.text != "" && c.text[0] >= utf8.RuneSelf && len(joined[last].text) < maxCluster {
			whole := joined[last].text + c.text
			if first, width := ansi.FirstGraphemeCluster(whole, ansi.GraphemeWidth); len(first) == len(whole) {
				joined[last].text, joined[last].width = whole, width
				continue
			}
		}
		joined = append(joined, c)
	}
	return joined
}

// splitLines is split for a text of lines. Empty ones at either end go.
func splitLines(text string) [][]cell {
	var lines [][]cell
	style := ""
	for line := range strings.SplitSeq(text, "\n") {
		var cells []cell
		cells, style = split(line, style)
		lines = append(lines, trimRight(cells))
	}
	return trimRows(lines)
}

// trimRows takes the empty rows at either end away.
func trimRows(rows [][]cell) [][]cell {
	for len(rows) > 0 && len(trimRight(rows[0])) == 0 {
		rows = rows[1:]
	}
	for len(rows) > 0 && len(trimRight(rows[len(rows)-1])) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// wrap breaks cells into rows of at most width columns, at spaces where there
// are some, which then go.
func wrap(cells []cell, width int) [][]cell {
	var rows [][]cell
	for {
		n := fitting(cells, width)
		if n < len(cells) {
			n = breakPoint(cells, n, width)
		}
		rows = append(rows, trimRight(cells[:n]))
		cells = cells[n:]
		for len(cells) > 0 && cells[0].blank() {
			cells = cells[1:]
		}
		if len(cells) == 0 {
			return rows
		}
	}
}

// fit is cells, broken only where they are too wide.
func fit(cells []cell, width int) [][]cell {
	if columnsOf(cells) <= width {
		return [][]cell{cells}
	}
	return wrap(cells, width)
}

// wrapVerbatim breaks cells into rows of at most width columns wherever they are
// full, and keeps every space. The rows after the first are indented like it.
func wrapVerbatim(cells []cell, width int) [][]cell {
	var rows [][]cell
	var indent []cell
	if n := leadingBlanks(cells); n <= width/3 {
		indent = cells[:n]
	}
	for {
		prefix := indent
		if rows == nil {
			prefix = nil
		}
		n := fitting(cells, width-len(prefix))
		rows = append(rows, slices.Concat(prefix, cells[:n]))
		if cells = cells[n:]; len(cells) == 0 {
			return rows
		}
	}
}

// fitting counts the cells that fit into width columns, at least one of them so
// that wrapping always gets on.
func fitting(cells []cell, width int) int {
	used := 0
	for i, c := range cells {
		used += c.width
		if used > width && i > 0 {
			return i
		}
	}
	return len(cells)
}

// breakPoint looks for a good place to break the first n cells, which fill
// width: in the second half at a space or beside a wide character, but neither
// before closing nor after opening punctuation; else at the last space, if what
// comes after it fits into a line. Without one, as in a long URL, it is n.
func breakPoint(cells []cell, n, width int) int {
	for i := n; i > 0; i-- {
		before, after := cells[i-1], cells[i]
		space := before.text == " " || after.text == " "
		switch {
		case strings.Contains(closingMarks, after.text), strings.Contains(openingMarks, before.text):
		case i > n/2 && (space || before.width == 2 || after.width == 2):
			return i
		case space && longestWord(cells[i:min(i+width+1, len(cells))]) <= width:
			return i
		}
	}
	return n
}

// The marks that must not begin or end a line in Chinese, Japanese and Korean
// (https://www.w3.org/TR/jlreq, line-start and line-end prohibition).
const (
	closingMarks = ",.!?:;)]}%，。、．！？：；）］｝」』】》〉〕”’…・ーゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ％"
	openingMarks = "([{（［｛「『【《〈〔“‘"
)

// prefixed puts first before the first row and as many blanks before the others.
func prefixed(first []cell, rows [][]cell) [][]cell {
	return quoted(first, blanks(columnsOf(first)), rows)
}

// quoted puts first before the first row and rest before the others.
func quoted(first, rest []cell, rows [][]cell) [][]cell {
	out := make([][]cell, len(rows))
	for i, row := range rows {
		if i == 0 {
			out[i] = slices.Concat(first, row)
		} else {
			out[i] = slices.Concat(rest, row)
		}
	}
	return out
}

func blanks(n int) []cell {
	return slices.Repeat([]cell{{text: " ", width: 1}}, max(n, 0))
}

// columnsOf is how many columns cells take.
func columnsOf(cells []cell) int {
	columns := 0
	for _, c := range cells {
		columns += c.width
	}
	return columns
}

func leadingBlanks(cells []cell) int {
	n := 0
	for n < len(cells) && cells[n].blank() {
		n++
	}
	return n
}

func trimRight(cells []cell) []cell {
	for len(cells) > 0 && cells[len(cells)-1].blank() {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// paintLines is the final text of rows: no spaces at line ends, each line
// closing the colours it opens, one newline at the end of each.
func paintLines(rows [][]cell) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(paint(trimRight(row)) + "\n")
	}
	return b.String()
}

// paint joins cells, changing the style only where it changes.
func paint(cells []cell) string {
	var b strings.Builder
	style := ""
	for _, c := range cells {
		if c.style != style {
			if style != "" {
				b.WriteString(sgrReset)
			}
			b.WriteString(c.style)
			style = c.style
		}
		b.WriteString(c.text)
	}
	if style != "" {
		b.WriteString(sgrReset)
	}
	return b.String()
}
