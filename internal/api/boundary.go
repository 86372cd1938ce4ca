package api

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// connectLimit is the time limit for name resolution, connection, proxy and TLS
// together.
const connectLimit = 30 * time.Second

// connectLimitOf returns the connect limit of an attempt with the given time limit.
func connectLimitOf(limit time.Duration) time.Duration { return min(connectLimit, limit) }

// The causes with which the two limits cancel an attempt.
var (
	errConnectLimit = errors.New("connect limit")
	errTimeLimit    = errors.New("time limit")
)

// boundary detects the moment from which the service may have received a byte of
// the request: when the transport gets a connection, after TLS and the proxy's
// CONNECT. From then on the time limit applies instead of the connect limit.
type boundary struct {
	limit time.Duration
	// sticky makes the first connection count even if the transport asks for
	// another one. Without it, the transport asks for another only if it has
	// written nothing, so the request starts from the beginning.
	sticky bool
	cancel context.CancelCauseFunc

	wrote atomic.Bool

	mu     sync.Mutex
	handed bool
	timer  *time.Timer // of the current limit, nil before the first
	ends   time.Time   // the current limit
	cause  error       // the cause when it is over
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
	// HTTP/2 gets the same connection twice.
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

// start replaces the current limit.
func (b *boundary) start(limit time.Duration, cause error) {
	b.ends, b.cause = time.Now().Add(limit), cause
	if b.timer == nil {
		b.timer = time.AfterFunc(limit, b.expire)
		return
	}
	b.timer.Reset(limit)
}

func (b *boundary) expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	// The timer may have fired for the limit before.
	if !time.Now().Before(b.ends) {
		b.cancel(b.cause)
	}
}

func (b *boundary) write() { b.wrote.Store(true) }

// crossed reports whether the request got a connection.
func (b *boundary) crossed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.handed
}

// written reports whether the headers of the request were written, possibly only
// to a buffer.
func (b *boundary) written() bool { return b.wrote.Load() }

// stop cancels the attempt and releases its timer.
func (b *boundary) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.cancel(nil)
}
