package cells

import (
	"slices"
	"strings"
)

// The punctuation that must not begin or end a line in Chinese, Japanese and
// Korean (https://www.w3.org/TR/jlreq, line-start and line-end prohibition).
const (
	closingMarks = ",.!?:;)]}%，。、．！？：；）］｝」』】》〉〕”’…・ーゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ％"
	openingMarks = "([{（［｛「『【《〈〔“‘"
)

// Wrap breaks r into rows of at most width columns, between words where
// possible. Spaces at the breaks are dropped.
func (r Row) Wrap(width int) []Row {
	var rows []Row
	for {
		n := r.fitting(width)
		if n < len(r) {
			n = r.breakPoint(n, width)
		}
		rows = append(rows, r[:n].TrimRight())
		if r = r[n:].TrimLeft(); len(r) == 0 {
			return rows
		}
	}
}

// WrapVerbatim breaks r into rows of at most width columns. It fills each row and
// preserves all spaces. Rows after the first have the same indentation, unless that is
// wider than a third of width.
func (r Row) WrapVerbatim(width int) []Row {
	var rows []Row
	var prefix, indent Row
	if n := len(r) - len(r.TrimLeft()); n <= width/3 {
		indent = r[:n]
	}
	for {
		n := r.fitting(width - len(prefix))
		rows = append(rows, slices.Concat(prefix, r[:n]))
		if r = r[n:]; len(r) == 0 {
			return rows
		}
		prefix = indent
	}
}

// fitting returns the number of cells that fit into width columns, at least one.
func (r Row) fitting(width int) int {
	used := 0
	for i, c := range r {
		used += c.Width
		if used > width && i > 0 {
			return i
		}
	}
	return len(r)
}

// breakPoint returns the index at which to break r, of which the first n cells fill
// width. It prefers the last space or side of a wide character in the second half, but
// not before closing or after opening punctuation. Otherwise it is the last space after
// which no word is wider than width. If there is none, as in a long URL, it returns n.
func (r Row) breakPoint(n, width int) int {
	for i := n; i > 0; i-- {
		before, after := r[i-1], r[i]
		space := before.Blank() || after.Blank()
		switch {
		case strings.Contains(closingMarks, after.Text), strings.Contains(openingMarks, before.Text):
		case i > n/2 && (space || before.Width == 2 || after.Width == 2):
			return i
		case space && r[i:min(i+width+1, len(r))].LongestWord() <= width:
			return i
		}
	}
	return n
}
