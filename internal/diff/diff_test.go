package diff_test

import (
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/diff"
)

// shown returns lines with changed words in brackets.
func shown(lines []diff.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString([]string{" ", "-", "+", "…"}[l.Kind])
		for _, p := range l.Parts {
			if p.Changed {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"same", "a\nb\n", "a\nb\n", ""},
		{"only newlines at the end differ", "a", "a\n\n", ""},
		{"a word", "the red house\n", "the blue house\n", "-the [red] house\n+the [blue] house\n"},
		{"a line is added", "a\nb\n", "a\nx\nb\n", " a\n+x\n b\n"},
		{"a line is removed", "a\nx\nb", "a\nb", " a\n-x\n b\n"},
		{"nothing in common", "one two\n", "three four\n", "-one two\n+three four\n"},
		{"far lines are omitted", "1\n2\n3\nold\n5\n6\n7", "1\n2\n3\nnew\n5\n6\n7", "…\n 3\n-old\n+new\n 5\n…\n"},
		{"two places", "old\n2\n3\n4\n5\nold", "new\n2\n3\n4\n5\nnew", "-old\n+new\n 2\n…\n 5\n-old\n+new\n"},
		{"words on several lines", "one two\nthree four\n", "one 2\nthree 4\n", "-one [two]\n-three [four]\n+one [2]\n+three [4]\n"},
		{"characters without spaces", "東京は晴れです\n", "京都は晴れです\n", "-[東]京は晴れです\n+京[都]は晴れです\n"},
		{"empty", "", "new", "-\n+new\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(diff.Lines(c.before, c.after, 1)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// FuzzLines checks that the lines of each text can be read from a difference with
// unlimited context.
func FuzzLines(f *testing.F) {
	f.Add("the red house\nb\n", "the blue house\n\nb")
	f.Add("\r\n\x00\xff", "東京\u2028\n\n\nx")
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 10_000 {
			return
		}
		lines := diff.Lines(before, after, 20_000)
		var first, second strings.Builder
		for _, l := range lines {
			var text strings.Builder
			for _, p := range l.Parts {
				text.WriteString(p.Text)
			}
			text.WriteString("\n")
			if l.Kind != diff.Added {
				first.WriteString(text.String())
			}
			if l.Kind != diff.Removed {
				second.WriteString(text.String())
			}
		}
		trimmed := func(s string) string { return strings.TrimRight(s, "\n") }
		if len(lines) == 0 {
			if trimmed(before) != trimmed(after) {
				t.Fatalf("no difference between %q and %q", before, after)
			}
			return
		}
		if trimmed(first.String()) != trimmed(before) || trimmed(second.String()) != trimmed(after) {
			t.Fatalf("%q, %q: got %q, %q", before, after, first.String(), second.String())
		}
	})
}
