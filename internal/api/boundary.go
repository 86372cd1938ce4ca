package api

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync"
	"time"
)

// errTimeLimit is the cause by which the time limit ends an attempt.
var errTimeLimit = errors.New("time limit")

// boundary watches one attempt for the moment from which a byte of the request
// may have reached the service: the hand-over of a connection, after TLS and
// the proxy's CONNECT. The time limit of the attempt starts there too.
type boundary struct {
	limit time.Duration
	// sticky keeps the first hand-over in force when the transport asks for
	// another connection. Without it the transport only asks again when it
	// wrote nothing, so the request starts anew.
	sticky bool
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	handed bool
	wrote  bool
	timer  *time.Timer
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
	if b.sticky || b.wrote {
		return
	}
	b.handed = false
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

func (b *boundary) hand() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handed = true
	if b.timer == nil {
		b.timer = time.AfterFunc(b.limit, func() { b.cancel(errTimeLimit) })
	}
}

func (b *boundary) write() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrote = true
}

// crossed reports whether a connection was handed to the request.
func (b *boundary) crossed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.handed
}

// written reports whether the head of the request was written, perhaps only to
// a buffer.
func (b *boundary) written() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wrote
}

// stop ends the attempt and frees its timer.
func (b *boundary) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.cancel(nil)
}
