package cells

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestRowsAreAsWideAsTheirText(t *testing.T) {
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

func TestACharacterHasOneStyle(t *testing.T) {
	row, _ := Parse("\x1b[31m1\x1b[0m\x1b[32m\ufe0f\u20e3\x1b[0mx", "")
	if got, want := row.String(), "\x1b[31m1️⃣\x1b[0mx"; got != want || row.Columns() != 3 {
		t.Errorf("painted as %q in %d columns, want %q in 3", got, row.Columns(), want)
	}
}
