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
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

const (
	// A POST on a connection that a load balancer has dropped has an unknown
	// outcome, so idle connections are closed soon.
	idleTimeout    = 15 * time.Second
	maxHeaderBytes = 256 << 10
	// A batch has at most so many requests in flight, and each of them reuses a
	// connection.
	maxIdleConnections = 1024
	maxRoots           = 16 << 20 // bytes of a CA file
)

// NewTransport returns a transport to addresses other than that of the service, with the
// proxy from the environment, and the certificates of caFile, if not empty, in addition
// to the system's. The error is a *ConfigError.
func NewTransport(caFile string) (*http.Transport, error) {
	roots, err := readRoots(caFile)
	if err != nil {
		return nil, &ConfigError{Setting: "ca_file", Err: err}
	}
	return newTransport(roots, connectLimit), nil
}

// newTransport returns a transport with the proxy from the environment, HTTP/2 if
// the service supports it, and the given or the system's root certificates. All
// addresses of a name are tried within limit, which boundary enforces.
func newTransport(roots *x509.CertPool, limit time.Duration) *http.Transport {
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			u, err := proxy(r.URL)
			if err != nil {
				// The cause contains the address, possibly with a password.
				return nil, errors.New("the proxy address in the environment is invalid")
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
		// Limits a handshake that net/http continues after the end of its request.
		TLSHandshakeTimeout:    2 * limit,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    maxIdleConnections,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// dialer connects localhost to the loopback interface without a resolver, whose
// answer could send a token in clear text to another machine.
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

// readRoots returns the system's certificates and those of the PEM file at path,
// or nil for only the system's if path is empty.
func readRoots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := input.ReadFile(path, maxRoots)
	if err != nil {
		return nil, fmt.Errorf("cannot read the CA file %s: %w", path, failure.Reason(err))
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

// proxyError is the refusal of a proxy to open a tunnel.
type proxyError struct {
	proxy  string
	status int
}

func (e *proxyError) Error() string {
	text := fmt.Sprintf("the proxy %s refused to connect: %d %s", e.proxy, e.status, http.StatusText(e.status))
	return strings.TrimSpace(text)
}
