package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// shutdownGrace is the time that Serve waits for running requests.
const shutdownGrace = 2 * time.Second

// ListenLoopback listens on a loopback address, the value of --addr. It refuses other
// addresses, because the service has no TLS.
func ListenLoopback(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, failure.Usagef("for example: --addr 127.0.0.1:8080", "invalid value %q for --addr: must be HOST:PORT", addr)
	}
	if !baseurl.IsLoopback(host) {
		return nil, failure.Usagef("use 127.0.0.1 or [::1]: without TLS, the token would be sent in clear text", "invalid value %q for --addr: not a loopback address", addr)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, failure.WithHint(fmt.Errorf("cannot listen on %s: %w", addr, failure.Reason(err)), "use another port, or any free port: --addr 127.0.0.1:0")
	}
	return listener, nil
}

// Serve answers requests on the loopback listener until ctx is cancelled. It then
// waits up to 2 s for running requests and returns nil. Requests from web pages are
// refused.
func Serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           localOnly(h),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // interrupts the remaining requests
		}
		stopped <- nil
	})
	err := server.Serve(listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
