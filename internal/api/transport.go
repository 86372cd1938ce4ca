package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
)

const (
	// A connection that a balancer has already dropped turns a POST into one
	// of unknown outcome, so idle ones are not kept for long.
	idleTimeout    = 15 * time.Second
	maxHeaderBytes = 256 << 10
)

// newTransport returns the way to the network: proxy from the environment,
// HTTP/2 where the service has it, the given roots or the system's. Within
// limit, which boundary enforces, every address of a name gets its turn.
func newTransport(roots *x509.CertPool, limit time.Duration) *http.Transport {
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			u, err := proxy(r.URL)
			if err != nil {
				// The cause repeats the address, perhaps with a password.
				return nil, errors.New("the proxy address in the environment cannot be read")
			}
			return u, nil
		},
		OnProxyConnectResponse: func(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			return &proxyError{proxy: proxy.Host, status: resp.StatusCode}
		},
		DialContext:     dialer(&net.Dialer{Timeout: limit, KeepAlive: 30 * time.Second}),
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		// For a handshake that net/http goes on with when its request has ended.
		TLSHandshakeTimeout:    2 * limit,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// dialer sends localhost to the loopback interface without asking a resolver,
// whose answer could carry a token in clear text off this machine.
func dialer(d *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil || !strings.EqualFold(host, "localhost") {
			return d.DialContext(ctx, network, address)
		}
		conn, err := d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			return conn, nil
		}
		if conn, err6 := d.DialContext(ctx, network, net.JoinHostPort("::1", port)); err6 == nil {
			return conn, nil
		}
		return nil, err
	}
}

// readRoots returns the system's certificates and those of the PEM file path;
// nil, which stands for the system's, when path is empty.
func readRoots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the CA file: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the CA file %s has no PEM certificate", path)
	}
	return roots, nil
}

// proxyError is a proxy's refusal to open the tunnel.
type proxyError struct {
	proxy  string
	status int
}

func (e *proxyError) Error() string {
	text := fmt.Sprintf("the proxy %s refused to connect: %d %s", e.proxy, e.status, http.StatusText(e.status))
	return strings.TrimSpace(text)
}
