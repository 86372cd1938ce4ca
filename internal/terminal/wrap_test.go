package terminal_test

import (
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestWrapBreaksBetweenWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"", 10, 0, ""},
		{"short", 10, 0, "short"},
		{"one two three", 9, 0, "one two\nthree"},
		{"one two three", 13, 0, "one two three"},
		{"one two three\n\nfour five six", 9, 0, "one two\nthree\n\nfour five\nsix"},
		{"/at TURN  go on from a turn", 20, 10, "/at TURN  go on from\n          a turn"},
		{"/at TURN  go on from a turn", 12, 10, "/at TURN  go\n      on\n      from a\n      turn"},
		{"see averylongwordthatfitsnowhere now", 10, 0, "see\naverylongw\nordthatfit\nsnowhere\nnow"},
		{"漢字 かな 混じり", 10, 0, "漢字 かな\n混じり"},
	} {
		if got := terminal.Wrap(c.text, c.width, c.indent); got != c.want {
			t.Errorf("Wrap(%q, %d, %d) =\n%s\nwant\n%s", c.text, c.width, c.indent, got, c.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("hobnob: note: the next question follows 8c1d0000: what is 漢字?", 20, 2)
	f.Fuzz(func(t *testing.T, text string, width, indent int) {
		width, indent = max(width%200, 4), max(indent%200, 0)
		text = terminal.Clean(text)
		got := terminal.Wrap(text, width, indent)
		without := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if without(got) != without(text) {
			t.Errorf("Wrap(%q, %d, %d) = %q", text, width, indent, got)
		}
		for row := range strings.SplitSeq(got, "\n") {
			if terminal.Width(row) > width {
				t.Errorf("Wrap(%q, %d, %d) contains the row %q", text, width, indent, row)
			}
		}
	})
}
