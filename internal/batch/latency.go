package batch

import (
	"slices"
	"time"
)

const (
	// slowFactor and slowMargin are how much longer than usual replies must take to
	// be slow. Single replies vary much more than the median of a round.
	slowFactor = 2.5
	slowMargin = 100 * time.Millisecond

	minRound, maxRound = 16, 64 // replies
)

// latency notices when replies become slow, which is often the only sign of a service
// with too much work.
type latency struct {
	round  []time.Duration
	usual  time.Duration // median of the fastest round, or 0
	slowed time.Duration // median of the last slow round until its effect is known, or 0
}

// slow adds the time of a reply to the current round. At the end of a round, it
// reports whether replies became slow since the fastest round, so that fewer
// requests should be in flight. The caller then leaves out the replies to requests
// begun before. If that does not make replies faster, slow ones are
// usual from then on.
func (l *latency) slow(reply time.Duration, concurrency int) bool {
	l.round = append(l.round, reply)
	if len(l.round) < min(max(concurrency, minRound), maxRound) {
		return false
	}
	slices.Sort(l.round)
	median := l.round[len(l.round)/2]
	l.round = l.round[:0]
	if l.usual == 0 || l.slowed > 0 && median > l.slowed*3/4 {
		l.usual = median
	}
	l.slowed = 0
	if median > time.Duration(slowFactor*float64(l.usual)) && median > l.usual+slowMargin {
		l.slowed = median
		return true
	}
	l.usual = min(median, l.usual)
	return false
}
