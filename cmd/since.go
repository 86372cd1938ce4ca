package cmd

import (
	"strconv"
	"strings"
	"time"
)

// parseAge reads an age: a number of minutes, hours, days or weeks (m, h, d, w).
func parseAge(text string) (time.Duration, bool) {
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if len(text) < 2 {
		return 0, false
	}
	unit, ok := units[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 31)
	if !ok || err != nil || time.Duration(n) > (1<<62)/unit {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// parseSince reads an age, or a date as the beginning of that day here.
func parseSince(text string, now time.Time) (time.Time, error) {
	if age, ok := parseAge(strings.TrimSpace(text)); ok {
		return now.Add(-age), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, nil
	}
	return time.Time{}, usagef("use an age like 12h, 30d or 8w, or a date like 2026-01-31", "%q is neither an age nor a date", text)
}
