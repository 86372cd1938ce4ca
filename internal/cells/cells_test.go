package cells

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestRowWidth(t *testing.T) {
	for _, text := range []string{
		"1️⃣", "#️⃣ *️⃣", "a\ufe0f", " \ufe0f", "e\u0301e", "🇩🇪🇯🇵", "👩‍👩‍👧", "\u0301x", "x\u200dy", "中\u0301文", "plain",
	} {
		row, _ := Parse(text, "")
		if got, want := row.Columns(), ansi.StringWidth(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
		if got := row.String(); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestClusterIsBounded(t *testing.T) {
	marks := strings.Repeat("\u0301", 1000)
	row, _ := Parse("e"+marks+"x", "")
	if got, want := row.String(), "e"+marks[:30]+"<+985>x"; got != want || row.Columns() != 8 {
		t.Errorf("%q in %d columns, want %q in 8", got, row.Columns(), want)
	}
	const longest = "👨🏻\u200d👩🏻\u200d👧🏻\u200d👦🏻"
	if row, _ := Parse(longest, ""); row.String() != longest || row.Columns() != 2 {
		t.Errorf("%q in %d columns", row.String(), row.Columns())
	}
}

// A zero-width space is a separate cluster, even between marks.
func TestZeroWidthClustersAreBounded(t *testing.T) {
	for flood, want := range map[string]string{
		strings.Repeat("\u200b", 16):                       strings.Repeat("\u200b", 16),
		strings.Repeat("\u200b", 1000):                     strings.Repeat("\u200b", 16) + "<+984>",
		strings.Repeat("\u200b\u0301", 1000):               strings.Repeat("\u200b\u0301", 8) + "<+1984>",
		"\x1b[1m" + strings.Repeat("\u200b\x1b[m", 1000):   "\x1b[1m\u200b\x1b[0m" + strings.Repeat("\u200b", 15) + "<+984>",
		strings.Repeat("e"+strings.Repeat("\u200b", 5), 9): strings.Repeat("e"+strings.Repeat("\u200b", 5), 9),
	} {
		for _, end := range []string{"", "x"} {
			if row, _ := Parse(flood+end, ""); row.String() != want+end {
				t.Errorf("Parse(%.40q) = %.200q, want %q", flood+end, row.String(), want+end)
			}
		}
	}
}

func TestClusterHasOneStyle(t *testing.T) {
	row, _ := Parse("\x1b[31m1\x1b[0m\x1b[32m\ufe0f\u20e3\x1b[0mx", "")
	if got, want := row.String(), "\x1b[31m1️⃣\x1b[0mx"; got != want || row.Columns() != 3 {
		t.Errorf("%q in %d columns, want %q in 3", got, row.Columns(), want)
	}
}
