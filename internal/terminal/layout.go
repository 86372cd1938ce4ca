package terminal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

var markerPattern = regexp.MustCompile(`^(?:[•*-]|[0-9]{1,4}[.)]) `)

// cell is one grapheme cluster of a rendered line.
type cell struct {
	text  string
	width int
	style string // the SGR sequences in force, empty for none
}

func (c cell) blank() bool { return c.text == " " }

// layout brings rendered text, which holds no control but newline and SGR, to
// its final form: no line wider than width columns, no spaces at line ends, no
// empty lines at either end, each line closing the colours it opens, one
// newline at the end. A wrapped line goes on under its own text, behind the
// bars of a quotation.
//
// Glamour 1.0 wraps at spaces alone, so that Chinese, Japanese and long URLs
// run past the edge.
func layout(text string, width int) string {
	var lines []string
	style := ""
	for line := range strings.SplitSeq(text, "\n") {
		var cells []cell
		cells, style = split(line, style)
		for _, row := range wrap(trimRight(cells), width) {
			lines = append(lines, paint(row))
		}
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// split cuts a line into cells, starting with and returning the style in force.
func split(line, style string) ([]cell, string) {
	var cells []cell
	state := byte(0)
	for line != "" {
		sequence, width, n, next := ansi.DecodeSequence(line, state, nil)
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
	return cells, style
}

// wrap breaks cells into rows of at most width columns.
func wrap(cells []cell, width int) [][]cell {
	var rows [][]cell
	var prefix, indent []cell
	for {
		n := fitting(cells, width-len(prefix))
		if n < len(cells) {
			if rows == nil {
				indent = hangingIndent(cells, width)
			}
			n = breakPoint(cells, n)
		}
		rows = append(rows, slices.Concat(prefix, trimRight(cells[:n])))
		cells = cells[n:]
		for len(cells) > 0 && cells[0].blank() {
			cells = cells[1:]
		}
		if len(cells) == 0 {
			return rows
		}
		prefix = indent
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

// breakPoint looks for a good place to break in the second half of the first n
// cells: at a space or beside a wide character, but neither before closing nor
// after opening punctuation. Without one, as in a URL, it is n.
func breakPoint(cells []cell, n int) int {
	for i := n; i > n/2; i-- {
		before, after := cells[i-1], cells[i]
		switch {
		case strings.Contains(closingMarks, after.text), strings.Contains(openingMarks, before.text):
		case before.text == " ", after.text == " ", before.width == 2, after.width == 2:
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

// hangingIndent is what begins the second and further rows of a wrapped line:
// the spaces and bars that the line begins with, and spaces below the bullet or
// number of a list. It leaves two thirds of the width to the text.
func hangingIndent(cells []cell, width int) []cell {
	n := 0
	for n < len(cells) && strings.Contains(" │|", cells[n].text) {
		n++
	}
	indent := slices.Clone(cells[:n])
	for range marker(cells[n:]) {
		indent = append(indent, cell{text: " ", width: 1})
	}
	if len(indent) > width/3 {
		return nil
	}
	return indent
}

// marker counts the cells of a bullet or number and the space after it.
func marker(cells []cell) int {
	const longest = 6
	var head strings.Builder
	for _, c := range cells[:min(len(cells), longest)] {
		head.WriteString(c.text)
	}
	return len([]rune(markerPattern.FindString(head.String())))
}

func trimRight(cells []cell) []cell {
	for len(cells) > 0 && cells[len(cells)-1].blank() {
		cells = cells[:len(cells)-1]
	}
	return cells
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
