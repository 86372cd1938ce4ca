package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestCellsAreMeasuredAsStringsAre(t *testing.T) {
	for _, text := range []string{
		"1️⃣", "#️⃣ *️⃣", "a\ufe0f", " \ufe0f", "e\u0301e", "🇩🇪🇯🇵", "👩‍👩‍👧", "\u0301x", "x\u200dy", "中\u0301文", "plain",
	} {
		cells, _ := split(text, "")
		if got, want := columnsOf(cells), ansi.StringWidth(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
		if got := paint(cells); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got, want := wrappedRows(strings.Repeat(text, 7), ansi.StringWidth(text)), 7; got != want && text[0] < 0xcc {
			t.Errorf("%q takes %d rows, want %d", text, got, want)
		}
	}
}

func TestACharacterIsInOneStyle(t *testing.T) {
	cells, _ := split("\x1b[31m1\x1b[0m\x1b[32m\ufe0f\u20e3\x1b[0mx", "")
	if got, want := paint(cells), "\x1b[31m1️⃣\x1b[0mx"; got != want || columnsOf(cells) != 3 {
		t.Errorf("painted as %q in %d columns, want %q in 3", got, columnsOf(cells), want)
	}
}

func TestMarkdownWrapsKeycaps(t *testing.T) {
	s := &Streams{UTF8: true, Width: 40}
	for _, in := range []string{
		strings.Repeat("1️⃣ ", 14) + strings.Repeat("#️⃣", 30),
		"```\n" + strings.Repeat("2️⃣", 30) + "\n```",
		"- \ufe0f" + strings.Repeat("x", 60),
	} {
		checkSafe(t, in, s.Markdown(in, ""), s)
	}
	got := s.Markdown("|a|b|\n|-|-|\n|1️⃣|x|\n|12|y|\n", "")
	if want := "a  | b\n---|--\n1️⃣ | x\n12 | y\n"; got != want {
		t.Errorf("a table of keycaps is\n%s", got)
	}
}
