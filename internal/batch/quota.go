package batch

import "time"

// quota learns how many requests a service accepts in which time. Such a service has
// windows: it accepts a number of requests, and after a time as many again. Within a
// window, requests go out without delay up to the number learned. Then single requests
// find out whether the service accepts more, unless refusals would become too frequent.
type quota struct {
	size int           // requests that the service accepts in a window; 0: no limit is known
	span time.Duration // from the start of a window to that of the next

	current  window
	previous window // that size and span are from
	number   int    // of the current window

	total, refusals int       // requests accepted and refused so far
	due             time.Time // end of the longest wait that the service asked for
	until           time.Time // end of the pause after the last refusal
	vain            int       // pauses in succession after which the service accepted nothing
	useless         int       // assumed windows in succession in which it accepted nothing
	alone           bool      // after a refusal, until the service accepts a request
	sliding         bool      // the service refused requests before the end of a window
}

// window is a time in which the service accepts a number of requests.
type window struct {
	start   time.Time
	sent    int  // requests begun in it and not refused
	refused bool // the service refused a request of it
	assumed bool // it began after span, not after a wait that the service asked for
}

// ticket identifies the part of a window in which a request began.
type ticket struct {
	window int
	beyond bool // it was sent to find out whether the service accepts more
}

// admit counts a request that may begin now, with inFlight others. Otherwise, it returns
// the time after which one may begin even if none ends before.
func (q *quota) admit(now time.Time, inFlight int) (ticket, time.Duration) {
	passed := now.Sub(q.current.start)
	switch {
	case q.current.start.IsZero():
		q.current.start = now
	case q.current.refused && (q.size == 0 || passed >= q.span*9/10):
		q.learn(now)
	case q.size > 0 && passed >= q.span:
		q.roll(passed)
	}
	beyond := q.current.sent - q.size
	if q.size > 0 {
		rest := q.current.start.Add(q.span).Sub(now)
		switch {
		case beyond < 0 && q.alone && inFlight > 0:
			return ticket{}, maxWait
		// If the service counts requests and not time, only a refusal starts its
		// next window.
		case beyond == 0 && q.useless < 2 && q.frequent():
			return ticket{}, rest
		case beyond >= 0 && inFlight > beyond/answersPerRequest:
			return ticket{}, rest
		}
	}
	q.current.sent++
	return ticket{q.number, q.size > 0 && beyond >= 0}, 0
}

// learn begins a window after a refusal.
func (q *quota) learn(now time.Time) {
	end := q.due
	if q.current.sent == 0 {
		end = now
		if q.current.assumed {
			q.useless++
		}
	}
	if q.current.sent == 0 || q.current.assumed && q.current.sent < q.size {
		// The last window was longer than assumed.
		q.previous.sent += q.current.sent
	} else {
		q.previous = q.current
	}
	if q.previous.sent > 0 {
		// Both may be lower because of a wait longer than the service asked for.
		q.size = max(q.previous.sent, q.size/2)
		q.span = max(end.Sub(q.previous.start), q.span*9/10)
	}
	q.current = window{start: now}
	q.number++
}

// roll begins a window after the span of the last one.
func (q *quota) roll(passed time.Duration) {
	q.previous = q.current
	if !q.current.refused {
		q.size = max(q.size, q.current.sent)
	}
	start := q.current.start.Add(passed.Truncate(q.span))
	q.current = window{start: start, assumed: true}
	q.number++
}

// accepted counts a request that the service accepted.
func (q *quota) accepted() {
	q.total++
	q.vain, q.alone = 0, false
	if q.current.assumed {
		q.useless = 0
	}
}

// refused counts a request that the service refused and returns the time to wait.
func (q *quota) refused(now time.Time, t ticket, asked time.Duration) time.Duration {
	q.refusals++
	wait := min(asked, maxWait)
	if t.window != q.number {
		return wait
	}
	end := q.current.start.Add(q.span)
	switch full := q.current.sent >= q.size; {
	case q.size == 0:
	case !full && now.Add(wait).Before(end.Add(-q.span/10)):
		q.sliding = true
	case full && q.sliding:
		// The service accepts requests only as fast as those of the last window
		// were sent, so the next window begins when it has forgotten all of them.
		wait += min(now.Sub(q.current.start), q.span/10)
	}
	if due := now.Add(wait); due.After(q.due) {
		q.due = due
	}
	own := minWait
	if q.frequent() {
		own = max(own, q.span/8)
		wait = max(wait, end.Sub(now))
	}
	wait = max(wait, min(own<<min(q.vain, 10), maxOwnWait))
	if now.After(q.until) {
		q.vain++
	}
	q.until = now.Add(wait)
	q.alone, q.current.refused = true, true
	q.current.sent--
	return min(wait, maxWait)
}

// frequent reports whether another refusal would be too many.
func (q *quota) frequent() bool { return (q.refusals+1)*answersPerRequest > q.total }
