package duration_test

import (
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestFormatOmitsZeroParts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                               "0s",
		90 * time.Second:                "1m30s",
		5 * time.Minute:                 "5m",
		2 * time.Hour:                   "2h",
		2*time.Hour + 30*time.Minute:    "2h30m",
		10*time.Minute + 10*time.Second: "10m10s",
		1500 * time.Millisecond:         "1.5s",
	} {
		if got := duration.Format(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
	if got := duration.Seconds(61*time.Second + time.Millisecond); got != "1m2s" {
		t.Errorf("rounded up to %s", got)
	}
}

func TestAgoUsesOneUnit(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.Local)
	for ago, want := range map[time.Duration]string{
		-time.Hour:          "just now",
		59 * time.Second:    "just now",
		time.Minute:         "1 min ago",
		119 * time.Minute:   "1 h ago",
		23 * time.Hour:      "23 h ago",
		59 * 24 * time.Hour: "59 d ago",
		90 * 24 * time.Hour: "2025-12-31",
	} {
		if got := duration.Ago(now.Add(-ago), now); got != want {
			t.Errorf("%v is %q, want %q", ago, got, want)
		}
	}
	if got := duration.Ago(time.Time{}, now); got != "" {
		t.Errorf("no time is %q", got)
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":           {},
		"90m":        now.Add(-90 * time.Minute),
		" 12h":       now.Add(-12 * time.Hour),
		"30d":        now.AddDate(0, 0, -30),
		"8w":         now.AddDate(0, 0, -56),
		"2026-01-31": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
	} {
		if got, err := duration.ParseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "5", "h", "-3d", "1.5h", "2026-02-30", "99999999999999w", "4294967295w"} {
		if got, err := duration.ParseSince(text, now); err == nil || failure.Of(err).Kind != failure.Usage {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}
