package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// shutdownGrace is how long Serve lets running requests end.
const shutdownGrace = 2 * time.Second

// ListenLoopback listens on an address of this machine, given as --addr. One that
// other machines can reach is refused, because there is no TLS.
func ListenLoopback(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, failure.Usagef("use a form like 127.0.0.1:8080", "--addr %q is no address: %v", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, failure.Usagef("use 127.0.0.1 or [::1]; the service has no TLS, so the token would travel readable", "--addr %q is not a loopback address", addr)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, failure.WithHint(fmt.Errorf("cannot listen: %w", err), "choose another port with --addr, or a free one with --addr 127.0.0.1:0")
	}
	return listener, nil
}

// Serve answers requests on the listener until ctx ends, then lets the running
// ones finish for at most 2 s. It returns nil after such an end.
func Serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           h,
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
			_ = server.Close() // the remaining requests have had their time
		}
		stopped <- nil
	})
	err := server.Serve(listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
