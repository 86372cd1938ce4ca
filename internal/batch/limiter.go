package batch

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// startConcurrency is the number of requests in flight at the start.
	startConcurrency = 8
	// answersPerRequest is the number of accepted requests for each request that
	// may be in flight beyond the first ones. When the service starts to refuse,
	// the requests in flight are refused too; so they are at most a twelfth more
	// than it accepted.
	answersPerRequest = 12

	// maxWait is the longest single wait that a service can cause.
	maxWait = time.Hour
	// minWait and maxOwnWait are the shortest and longest wait after a refusal if
	// the service asks for a shorter one. It doubles with each one in vain.
	minWait    = 10 * time.Millisecond
	maxOwnWait = time.Minute
)

// limiter decides when a request may begin. It follows a rate, adapts the number of
// requests in flight, and learns from refusals with status 429 or 503 how many requests
// the service accepts in which time. It is safe for concurrent use.
type limiter struct {
	rate *rate.Limiter // nil: no rate
	max  int           // requests in flight
	// paused is called, without a lock, when a refusal begins a pause. asked is the
	// wait that the service asked for.
	paused func(wait, asked time.Duration)
	turn   chan struct{} // held by the caller of acquire that is next
	wake   chan struct{} // has a value after a request ended

	mu          sync.Mutex
	concurrency int
	inFlight    int
	begun       int       // requests so far
	lowered     int       // value of begun when concurrency was lowered last
	answers     int       // so far
	round       int       // answers since concurrency changed
	until       time.Time // end of the pause
	quota       quota
	latency     latency
}

// outcome is the result of a request as far as it matters for the next ones.
type outcome struct {
	kind outcomeKind
	wait time.Duration // that the service asked for, if limited
}

type outcomeKind int

const (
	other    outcomeKind = iota // failed, or interrupted
	answered                    // accepted and answered
	limited                     // refused with a wait, certainly not accepted
)

// newLimiter returns a limiter for at most concurrency requests in flight and, unless it
// is 0 or rate.Inf, a rate of requests per second. paused may be nil.
func newLimiter(concurrency int, limit rate.Limit, paused func(wait, asked time.Duration)) *limiter {
	l := &limiter{
		max: concurrency, concurrency: min(concurrency, startConcurrency),
		paused: paused, turn: make(chan struct{}, 1), wake: make(chan struct{}, 1),
	}
	if limit > 0 && limit != rate.Inf {
		// Timers are too coarse for one request at a time at high rates.
		l.rate = rate.NewLimiter(limit, max(1, int(limit/100)))
	}
	return l
}

// acquire waits until the next request may begin. The caller must call done with its
// outcome. An error is that of ctx.
func (l *limiter) acquire(ctx context.Context) (done func(outcome), err error) {
	select {
	case l.turn <- struct{}{}: // without a lock of ctx, which all share
	default:
		select {
		case l.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-l.turn }()
	if l.rate != nil {
		// Wait fails early if the deadline of its context is too soon.
		if err := l.rate.Wait(ctx); err != nil && ctx.Err() == nil {
			<-ctx.Done()
		}
	}
	for ctx.Err() == nil {
		done, wait := l.admit(time.Now())
		if done != nil {
			return done, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-l.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return nil, ctx.Err()
}

// admit begins a request, or returns the time after which one may be possible even if
// none ends before.
func (l *limiter) admit(now time.Time) (done func(outcome), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.until) {
		return nil, l.until.Sub(now)
	}
	if l.inFlight >= l.concurrency {
		return nil, maxWait
	}
	ticket, wait := l.quota.admit(now, l.inFlight)
	if wait > 0 {
		return nil, wait
	}
	l.inFlight++
	l.begun++
	number := l.begun
	return func(o outcome) { l.end(number, ticket, now, o) }, 0
}

func (l *limiter) end(number int, ticket ticket, begun time.Time, o outcome) {
	now := time.Now()
	l.mu.Lock()
	l.inFlight--
	var pause time.Duration
	switch o.kind {
	case answered:
		l.quota.accepted()
		l.grow()
		if number > l.lowered && l.latency.slow(now.Sub(begun), l.concurrency) {
			l.lower()
		}
	case limited:
		if number > l.lowered && !ticket.beyond {
			l.lower()
		}
		if until := now.Add(l.quota.refused(now, ticket, o.wait)); until.After(l.until) {
			// Requests that were in flight together make one pause.
			if !now.Before(l.until) {
				pause = until.Sub(now)
			}
			l.until = until
		}
	case other:
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	if pause > 0 && l.paused != nil {
		l.paused(pause, o.wait)
	}
}

// pause returns how long no request begins from now on because the service asked to wait.
func (l *limiter) pause() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.until))
}

// grow adds a request in flight after a round of answers.
func (l *limiter) grow() {
	l.answers++
	l.round++
	if l.round >= min(l.concurrency, answersPerRequest) && l.concurrency < min(l.max, max(startConcurrency, l.answers/answersPerRequest)) {
		l.concurrency++
		l.round = 0
	}
}

// lower halves the requests in flight.
func (l *limiter) lower() {
	l.concurrency = max(1, l.concurrency/2)
	l.round = 0
	l.lowered = l.begun
}
