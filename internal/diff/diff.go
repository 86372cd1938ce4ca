// Package diff compares two texts by lines, and changed lines by words. It is a shared
// leaf and knows nothing about how a difference is shown.
package diff

import (
	"slices"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"
)

// Kind is the kind of a line of a difference.
type Kind int

// The kinds of lines.
const (
	Both    Kind = iota // in both texts
	Removed             // only in the first text
	Added               // only in the second text
	Omitted             // one or more lines of both texts that are not listed
)

// Line is a line of a difference, without its newline.
type Line struct {
	Kind  Kind
	Parts []Part
}

// Part is a part of a line. Changed is set for words that differ from those of the
// lines that replace them, or that they replace.
type Part struct {
	Text    string
	Changed bool
}

// maxWords is the maximum number of bytes of changed lines that are compared by words.
const maxWords = 64 << 10

// Lines returns the difference of two texts: the lines that differ, and at most context
// lines before and after each. It is empty if only newlines at the end differ.
func Lines(before, after string, context int) []Line {
	before, after = ended(before), ended(after)
	if before == after {
		return nil
	}
	unified, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), context)
	if err != nil { // the edits are consistent, so this is not reached
		return slices.Concat(block(Removed, before), block(Added, after))
	}
	var out []Line
	at, total := 1, strings.Count(before, "\n")
	for _, hunk := range unified.Hunks {
		if hunk.FromLine > at {
			out = append(out, Line{Kind: Omitted})
		}
		at = hunk.FromLine
		var removed, added strings.Builder
		flush := func() {
			out = append(out, words(removed.String(), added.String())...)
			removed.Reset()
			added.Reset()
		}
		for _, l := range hunk.Lines {
			switch l.Kind {
			case udiff.Delete:
				removed.WriteString(l.Content)
				at++
			case udiff.Insert:
				added.WriteString(l.Content)
			default:
				flush()
				out = append(out, block(Both, l.Content)...)
				at++
			}
		}
		flush()
	}
	if at <= total {
		out = append(out, Line{Kind: Omitted})
	}
	return out
}

// ended returns text with one newline at its end.
func ended(text string) string { return strings.TrimRight(text, "\n") + "\n" }

// block returns the lines of a text, without changed parts.
func block(kind Kind, text string) []Line { return lines(kind, []Part{{Text: text}}) }

// words returns removed and added lines with their changed words marked. Nothing is
// marked if the lines have little in common.
func words(removed, added string) []Line {
	plain := slices.Concat(block(Removed, removed), block(Added, added))
	if removed == "" || added == "" || len(removed)+len(added) > maxWords {
		return plain
	}
	before, after := split(removed), split(added)
	var left, right []Part
	i, j, same := 0, 0, 0
	for _, d := range append(lcs.DiffLines(before, after), lcs.Diff{Start: len(before), End: len(before), ReplStart: len(after), ReplEnd: len(after)}) {
		for _, word := range before[i:d.Start] {
			same += len(word)
		}
		left = append(left, Part{Text: strings.Join(before[i:d.Start], "")}, Part{strings.Join(before[d.Start:d.End], ""), true})
		right = append(right, Part{Text: strings.Join(after[j:d.ReplStart], "")}, Part{strings.Join(after[d.ReplStart:d.ReplEnd], ""), true})
		i, j = d.End, d.ReplEnd
	}
	if 4*same < len(removed)+len(added) {
		return plain
	}
	return slices.Concat(lines(Removed, left), lines(Added, right))
}

// split returns the words of a text, each character that is not part of a word, and each
// run of spaces.
func split(text string) []string {
	var out []string
	start, last := 0, rune(-1)
	for i, r := range text {
		if i > start && (class(r) != class(last) || class(r) == other) {
			out, start = append(out, text[start:i]), i
		}
		last = r
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

const (
	letter = iota
	space
	other
)

func class(r rune) int {
	switch {
	case r == '\n':
		return other
	case unicode.IsSpace(r):
		return space
	// Languages without spaces are compared by characters.
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return other
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return letter
	}
	return other
}

// lines splits parts at newlines.
func lines(kind Kind, parts []Part) []Line {
	var out []Line
	line := Line{Kind: kind}
	for _, part := range parts {
		for text := range strings.Lines(part.Text) {
			content, complete := strings.CutSuffix(text, "\n")
			if content != "" {
				line.Parts = append(line.Parts, Part{content, part.Changed})
			}
			if complete {
				out, line = append(out, line), Line{Kind: kind}
			}
		}
	}
	if len(line.Parts) > 0 {
		out = append(out, line)
	}
	return out
}
