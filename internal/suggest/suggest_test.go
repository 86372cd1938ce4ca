package suggest_test

import (
	"testing"

	"github.com/hobnob-cli/hobnob/internal/suggest"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b    string
		want    int
		swapped bool
	}{
		{"", "", 0, false}, {"abc", "abc", 0, false}, {"", "abc", 3, false}, {"abc", "abd", 1, false},
		{"abc", "ab", 1, false}, {"abc", "acb", 1, true}, {"kitten", "sitting", 3, false},
	} {
		if got, swapped := suggest.Distance(tt.a, tt.b); got != tt.want || swapped != tt.swapped {
			t.Errorf("%q to %q is %d, %v", tt.a, tt.b, got, swapped)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"chat", "list", "Focus", "ls", "lost"}
	for typed, want := range map[string]string{
		"chatt": "chat", "CHAT": "chat", "hcat": "chat", "focsu": "Focus", "lits": "list", "lst": "list", "sl": "ls", "": "", "conversations": "", "xy": "", "cost": "lost", "most": "lost", "clot": "", "colat": "chat",
	} {
		if got := suggest.Nearest(typed, words); got != want {
			t.Errorf("%q is taken for %q, want %q", typed, got, want)
		}
	}
}
