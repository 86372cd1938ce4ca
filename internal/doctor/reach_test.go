package doctor

import (
	"strings"
	"testing"
)

func TestCertificateNames(t *testing.T) {
	for names, want := range map[string]string{
		"":                      "another name",
		"a.example":             "a.example",
		"a b c d":               "a, b, c and others",
		strings.Repeat("é", 90): strings.Repeat("é", 80) + "…",
	} {
		if got := certificateNames(strings.Fields(names)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
