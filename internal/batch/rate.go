package batch

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// units are the times of a rate.
var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// maxRate is the maximum number of requests in a unit.
const maxRate = 1_000_000

// ParseRate parses a number of requests in a time, such as 10/s, 600/m or 1000/h. No text
// is no limit.
func ParseRate(text string) (rate.Limit, error) {
	if text == "" {
		return rate.Inf, nil
	}
	count, unit, _ := strings.Cut(text, "/")
	n, err := strconv.ParseUint(count, 10, 32) // rejects signs and spaces
	per, known := units[unit]
	if err != nil || n < 1 || n > maxRate || !known {
		return 0, failure.Usagef("for example: --rate 10/s", "invalid value %q for --rate: must be NUMBER/s, NUMBER/m or NUMBER/h, with NUMBER from 1 to %d", text, maxRate)
	}
	return rate.Limit(float64(n) / per.Seconds()), nil
}
