package attach

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowServers fetches pages from servers that accept a request and then send a text
// again and again.
func TestSlowServers(t *testing.T) {
	const header = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	for name, tc := range map[string]struct {
		first, then string
		every       time.Duration
	}{
		"silent":          {"", "", time.Hour},
		"slow header":     {header, "X: y\r\n", time.Second},
		"slow body":       {header + "\r\n", "x", time.Second},
		"body that hangs": {header + "\r\nbegin", "", time.Hour},
		"early hints":     {"", "HTTP/1.1 103 Early Hints\r\n\r\n", 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				serve := func(conn net.Conn) {
					defer func() { _ = conn.Close() }()
					if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
						return
					}
					gone := make(chan struct{})
					go func() {
						defer close(gone)
						_, _ = io.Copy(io.Discard, conn)
					}()
					text := tc.first
					for range 100 {
						if _, err := io.WriteString(conn, text); err != nil {
							return
						}
						select {
						case <-time.After(tc.every):
						case <-gone:
							return
						}
						text = tc.then
					}
				}
				transport := &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go serve(theirs)
					return ours, nil
				}}
				started := time.Now()
				_, err := Reader{Limit: 1 << 20}.fetch(t.Context(), "http://example.com/", transport)
				if took := time.Since(started); took != fetchLimit {
					t.Errorf("ended after %s", took)
				}
				if err == nil || !strings.Contains(err.Error(), "cannot fetch http://example.com/: timed out after 30s") {
					t.Error(err)
				}
			})
		})
	}
}
