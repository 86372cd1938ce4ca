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

// WrapVerbatim breaks r into rows of at most width columns, each filled, and
// keeps every space. The rows after the first are indented like it.
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

// fitting returns how many cells fit into width columns, at least one.
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

// breakPoint returns a good place to break the first n cells, which fill width:
// in the second half at a space or next to a wide character, but neither before
// closing nor after opening punctuation; otherwise at the last space, if the
// rest fits into one line. If there is none, as in a long URL, it returns n.
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
