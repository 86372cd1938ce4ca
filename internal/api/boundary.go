package api

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// connectLimit bounds, in all, what comes before a connection carries the
// request: the name, the connection, the proxy and TLS.
const connectLimit = 30 * time.Second

// connectLimitOf returns the connect limit of an attempt with the given time
// limit, which also bounds the wait for a peer that is silent from the start.
func connectLimitOf(limit time.Duration) time.Duration { return min(connectLimit, limit) }

// The causes by which the two limits end an attempt.
var (
	errConnectLimit = errors.New("connect limit")
	errTimeLimit    = errors.New("time limit")
)

// boundary watches one attempt for the moment from which a byte of the request
// may have reached the service: the hand-over of a connection, after TLS and
// the proxy's CONNECT. There the connect limit, which starts when a connection
// is asked for, gives way to the time limit.
type boundary struct {
	limit time.Duration
	// sticky keeps the first hand-over in force when the transport asks for
	// another connection. Without it the transport only asks again when it
	// wrote nothing, so the request starts again.
	sticky bool
	cancel context.CancelCauseFunc

	wrote atomic.Bool

	mu     sync.Mutex
	handed bool
	timer  *time.Timer // of the limit in force, nil before the first
}

// watch returns the context for one attempt. The caller must call stop.
func watch(ctx context.Context, limit time.Duration, sticky bool) (context.Context, *boundary) {
	ctx, cancel := context.WithCancelCause(ctx)
	b := &boundary{limit: limit, sticky: sticky, cancel: cancel}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { b.ask() },
		GotConn:      func(httptrace.GotConnInfo) { b.hand() },
		WroteHeaders: b.write,
	}), b
}

func (b *boundary) ask() {
	b.mu.Lock()
	defer b.mu.Unlock()
	// HTTP/2 asks twice for one connection.
	connecting := b.timer != nil && !b.handed
	if connecting || b.handed && (b.sticky || b.wrote.Load()) {
		return
	}
	b.handed = false
	b.start(connectLimitOf(b.limit), errConnectLimit)
}

func (b *boundary) hand() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.handed {
		return
	}
	b.handed = true
	b.start(b.limit, errTimeLimit)
}

// start replaces the limit in force.
func (b *boundary) start(limit time.Duration, cause error) {
	if b.timer != nil {
		b.timer.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(limit, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		// It may have fired while it was replaced.
		if b.timer == timer {
			b.cancel(cause)
		}
	})
	b.timer = timer
}

func (b *boundary) write() { b.wrote.Store(true) }

// crossed reports whether a connection was handed to the request.
func (b *boundary) crossed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.handed
}

// written reports whether the head of the request was written, perhaps only to
// a buffer.
func (b *boundary) written() bool { return b.wrote.Load() }

// stop ends the attempt and frees its timer.
func (b *boundary) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.cancel(nil)
}
