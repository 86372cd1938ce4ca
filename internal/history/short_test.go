package history_test

import (
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/history"
)

func TestShortsAreUnique(t *testing.T) {
	for _, ids := range [][]string{
		{"3f2a1b2c-0000-4000-8000-000000000000", "3f2a1b2d-0000-4000-8000-000000000000"},
		{"0197f0c2-1a2b-7000-8000-000000000000", "0197f0c2-1a2c-7000-8000-000000000000", "0197f0c2-1a2c-7fff-8000-000000000000"},
		{"aaaa", "aaaa", "aaaabbbbcccc", "aaaabbbbccccdddd", "", "ä", "ö"},
	} {
		short := history.Shorts(ids...)
		for _, id := range ids {
			got := short(id)
			if !strings.HasPrefix(id, got) || len(got) < min(8, len(id)) {
				t.Errorf("%q is not a short form of %q", got, id)
			}
			for _, other := range ids {
				if other != id && got == short(other) {
					t.Errorf("%q and %q are both shown as %q", id, other, got)
				}
			}
		}
	}
	short := history.Shorts("0197f0c2-1a2b-7000-8000-000000000000", "0197f0c2-1a2c-7000-8000-000000000000", "3f2a1b2c-0000-4000-8000-000000000000")
	if a, b, c := short("0197f0c2-1a2b-7000-8000-000000000000"), short("3f2a1b2c-0000-4000-8000-000000000000"), short("unlisted-id"); a != "0197f0c2-1a2b" || b != "3f2a1b2c" || c != "unlisted" {
		t.Errorf("%q, %q, %q", a, b, c)
	}
}
