package batch

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

type limiter struct {
	slots chan struct{}
	rate  *rate.Limiter
}

type outcome struct {
	kind outcomeKind
	wait time.Duration
}

type outcomeKind int

const (
	other outcomeKind = iota
	answered
	limited
)

func newLimiter(concurrency int, limit rate.Limit, _ func(wait, asked time.Duration)) *limiter {
	return &limiter{make(chan struct{}, concurrency), rate.NewLimiter(limit, 1)}
}

func (l *limiter) acquire(ctx context.Context) (done func(outcome), err error) {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return func(o outcome) {
		time.Sleep(o.wait)
		<-l.slots
	}, nil
}
