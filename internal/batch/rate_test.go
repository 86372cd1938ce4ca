package batch

import (
	"testing"

	"golang.org/x/time/rate"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]rate.Limit{"": rate.Inf, "10/s": 10, "1/s": 1, "600/m": 10, "3600/h": 1, "1/h": rate.Limit(1.0 / 3600), "1000000/s": 1e6} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"10", "10/", "/s", "0/s", "-1/s", "+1/s", " 1/s", "1/s ", "1.5/s", "1/d", "1/S", "1000001/s", "1e3/s", "99999999999999999999/s", "1/s/s", "٣/s"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}
