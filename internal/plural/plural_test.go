package plural

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 turns", 1: "1 turn", 2: "2 turns"} {
		if got := Count(n, "turn"); got != want {
			t.Errorf("Count(%d) is %q, want %q", n, got, want)
		}
	}
}
