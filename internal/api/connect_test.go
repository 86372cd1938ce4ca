package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestSilentPeerTimesOut(t *testing.T) {
	for name, proxy := range map[string]string{
		"TLS peer":    "",
		"HTTP proxy":  "http://127.0.0.1:1",
		"HTTPS proxy": "https://127.0.0.1:1",
		"SOCKS proxy": "socks5://127.0.0.1:1",
	} {
		for timeout, limit := range map[time.Duration]string{0: "30s", time.Hour: "30s", 2 * time.Second: "2s"} {
			t.Run(name+" "+limit, func(t *testing.T) {
				t.Setenv("HTTPS_PROXY", proxy)
				synctest.Test(t, func(t *testing.T) {
					o := Options{BaseURL: "https://chat.example.com", Timeout: timeout, Retries: 2, Transport: mute(t, timeout)}
					start := time.Now()
					_, err := newClient(t, o).Chat(t.Context(), question, "")
					wantError(t, err, failure.NotSent, false)
					wantText(t, err.Error(), "/api/v1/chat: no connection within "+limit)
					if took := time.Since(start).String(); took != limit {
						t.Errorf("took %s", took)
					}
				})
			})
		}
	}
}

func TestConnectStagesShareOneLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		way := mute(t, 0)
		dial := way.DialContext
		way.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			<-time.After(20 * time.Second)
			return dial(ctx, network, address)
		}
		start := time.Now()
		_, err := newClient(t, Options{Transport: way}).Conversations(t.Context(), 1)
		wantError(t, err, failure.NotSent, false)
		if took := time.Since(start); took != connectLimit {
			t.Errorf("took %s", took)
		}
	})
}

// mute is a network whose peers read everything and never write.
func mute(t *testing.T, timeout time.Duration) *http.Transport {
	if timeout == 0 {
		timeout = defaultTimeout
	}
	way := newTransport(nil, connectLimitOf(timeout))
	way.DialContext = func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		t.Cleanup(func() { _ = there.Close() })
		go func() { _, _ = io.Copy(io.Discard, there) }()
		return here, nil
	}
	return way
}
