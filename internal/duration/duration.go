// Package duration formats and parses durations and ages.
package duration

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Format returns d without its zero parts: 5m rather than 5m0s.
func Format(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Seconds returns d rounded up to whole seconds, formatted.
func Seconds(d time.Duration) string { return Format((d + time.Second - 1).Truncate(time.Second)) }

// Ago returns how long before now t was, in one unit; after 60 days it is the
// date. A zero t is "".
func Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
	return t.Local().Format(time.DateOnly)
}

// ParseSince reads an age before now in minutes, hours, days or weeks (90m, 12h,
// 30d, 8w), or a date as the beginning of that day in the location of now; an empty
// text is the zero time. Errors are of kind failure.Usage.
func ParseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age := strings.TrimSpace(text); len(age) > 1 {
		last := len(age) - 1
		unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[age[last]]
		n, err := strconv.ParseUint(age[:last], 10, 31)
		if err == nil && unit > 0 && time.Duration(n) <= (1<<62)/unit {
			return now.Add(-time.Duration(n) * unit), nil
		}
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, nil
	}
	return time.Time{}, failure.Usagef("use an age like 12h, 30d or 8w, or a date like 2026-01-31", "%q is neither an age nor a date", text)
}
