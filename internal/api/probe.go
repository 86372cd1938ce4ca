package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
)

// Stage is a step of connecting to a service.
type Stage string

// The stages in order. With a proxy, the first two concern the proxy.
const (
	StageResolve Stage = "resolve" // the name resolves
	StageConnect Stage = "connect" // a connection is established
	StageProxy   Stage = "proxy"   // the proxy, if any, opens a tunnel
	StageTLS     Stage = "tls"     // the certificate is valid, for https
	StageAnswer  Stage = "answer"  // the service sends an HTTP response
)

// Route is the result of Probe. Except for Certificate, fields of stages that did
// not succeed are empty.
type Route struct {
	// Base is the address of the service in its canonical form.
	Base *url.URL
	// Proxy is the origin of the proxy from the environment, without user name
	// and password, or empty.
	Proxy string
	// IgnoredProxy reports whether the environment has an invalid proxy address,
	// which is not used.
	IgnoredProxy bool
	// Host is the host that is resolved and connected to: the service or proxy.
	Host string
	// Passed holds the stages that succeeded, in order.
	Passed []Stage
	// Failed is the stage that failed, or empty.
	Failed Stage
	// Err and Cause are the reason.
	Err   error
	Cause Cause

	// Addresses are the addresses of Host, empty if Host is an address or
	// localhost.
	Addresses []string
	Resolving time.Duration
	// Address is the address and port of the connection.
	Address    string
	Connecting time.Duration
	// TLS is the version, as in "TLS 1.3".
	TLS string
	// Certificate is that of the service, even if it is not valid.
	Certificate *x509.Certificate

	// Status of a GET of the listing without a token.
	Status int
	// MediaType of the answer, as in "text/html".
	MediaType string
	// Elsewhere is the origin of a redirect to another origin.
	Elsewhere string
	// Skew is how far the clock of the service is ahead, if HasClock.
	Skew     time.Duration
	HasClock bool
}

// Probe sends one GET of the listing without a token and without retries, and
// reports how far it got. Options.Timeout limits the stages before the answer
// together, and the answer separately. The error is a *ConfigError or the cause of
// the end of ctx.
func Probe(ctx context.Context, o Options) (Route, error) {
	o.Token, o.Retries = nil, 0
	c, err := New(o)
	if err != nil {
		return Route{}, err
	}
	way := tracer{route: Route{Base: c.base, Host: c.base.Hostname()}}
	route := &way.route
	sending, edge := watch(way.attach(ctx), c.options.Timeout, true)
	defer edge.stop()
	op := &operation{client: c}
	request, err := op.request(sending, c.listing(c.listings[0], 1))
	if err != nil {
		return Route{}, &ConfigError{Setting: "base_url", Err: err}
	}
	transport, network := c.options.Transport.(*http.Transport)
	if network {
		defer transport.CloseIdleConnections()
		proxy, err := transport.Proxy(request)
		if err != nil {
			route.Failed, route.Err, route.Cause = StageProxy, err, CauseProxyAddress
			return *route, nil
		}
		route.IgnoredProxy = proxy == nil && isProxyIgnored(c.base.Scheme)
		if proxy != nil {
			route.Proxy, route.Host = proxy.Scheme+"://"+proxy.Host, proxy.Hostname()
			way.proxyTLS = proxy.Scheme == "https"
		}
	}
	sent := time.Now()
	response, err := op.follow(request)
	if ctx.Err() != nil {
		return Route{}, context.Cause(ctx)
	}
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		route.answered(response, sent)
	}
	if limit := context.Cause(sending); err != nil && (errors.Is(limit, errConnectLimit) || errors.Is(limit, errTimeLimit)) {
		err = &limitError{c.options.Timeout}
	}
	return way.end(err), nil
}

// isProxyIgnored reports whether the environment has a proxy for the scheme that
// package httpproxy silently ignores as invalid.
func isProxyIgnored(scheme string) bool {
	given := httpproxy.FromEnvironment()
	value := given.HTTPSProxy
	if scheme == "http" {
		value = given.HTTPProxy
	}
	given.NoProxy, given.CGI = "", false
	proxy, err := given.ProxyFunc()(&url.URL{Scheme: scheme, Host: "chat.example.com"})
	return value != "" && proxy == nil && err == nil
}

// limitError is the error of a stage that timed out.
type limitError struct{ limit time.Duration }

func (e *limitError) Error() string { return fmt.Sprintf("no answer within %s", e.limit) }

// Timeout implements net.Error.
func (e *limitError) Timeout() bool { return true }

func (r *Route) answered(response *http.Response, sent time.Time) {
	r.Status = response.StatusCode
	r.MediaType, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if target, err := response.Location(); err == nil && isRedirect(r.Status) {
		if origin := baseurl.Origin(target); origin != baseurl.Origin(r.Base) {
			r.Elsewhere = origin
		}
	}
	// A cached response has an old date.
	date, err := http.ParseTime(response.Header.Get("Date"))
	if r.HasClock = err == nil && response.Header.Get("Age") == ""; r.HasClock {
		now := time.Now()
		r.Skew = date.Sub(sent.Add(now.Sub(sent) / 2))
	}
}

// tracer records the stages that the transport reports, possibly from several
// goroutines and after the end of the request.
type tracer struct {
	proxyTLS bool // the first handshake is the proxy's

	mu                             sync.Mutex
	resolving, connecting          time.Time
	resolved, connected            bool
	securing, secured              bool
	resolveErr, connectErr, tlsErr error
	route                          Route
}

func (t *tracer) attach(ctx context.Context) context.Context {
	locked := func(fn func()) {
		t.mu.Lock()
		defer t.mu.Unlock()
		fn()
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { locked(func() { t.resolving = time.Now() }) },
		DNSDone:  func(i httptrace.DNSDoneInfo) { locked(func() { t.dnsDone(i) }) },
		ConnectStart: func(string, string) {
			locked(func() {
				if t.connecting.IsZero() {
					t.connecting = time.Now()
				}
			})
		},
		ConnectDone:       func(_, address string, err error) { locked(func() { t.connectDone(address, err) }) },
		TLSHandshakeStart: func() { locked(func() { t.securing = !t.proxyTLS }) },
		TLSHandshakeDone:  func(s tls.ConnectionState, err error) { locked(func() { t.tlsDone(s, err) }) },
	})
}

func (t *tracer) dnsDone(i httptrace.DNSDoneInfo) {
	t.resolved, t.resolveErr = true, i.Err
	if i.Err == nil {
		t.route.Resolving = time.Since(t.resolving)
	}
	for _, a := range i.Addrs {
		t.route.Addresses = append(t.route.Addresses, a.String())
	}
}

func (t *tracer) connectDone(address string, err error) {
	switch {
	case err == nil && !t.connected:
		t.connected, t.route.Address, t.route.Connecting = true, address, time.Since(t.connecting)
	// If two addresses race, the slower one is cancelled.
	case err != nil && t.connectErr == nil && !errors.Is(err, context.Canceled):
		t.connectErr = err
	}
}

func (t *tracer) tlsDone(s tls.ConnectionState, err error) {
	if t.proxyTLS {
		t.proxyTLS = err != nil
		return
	}
	t.secured, t.tlsErr, t.route.Certificate, t.route.TLS = err == nil, err, certificateOf(s, err), ""
	if t.secured {
		t.route.TLS = tls.VersionName(s.Version)
	}
}

// end returns the route with the stages that succeeded and the one that failed
// with err.
func (t *tracer) end(err error) Route {
	t.mu.Lock()
	defer t.mu.Unlock()
	secure := t.route.Base.Scheme == "https"
	for _, s := range []struct {
		stage    Stage
		none     bool // the stage does not apply
		complete bool
		err      error
	}{
		{StageResolve, false, t.resolveErr == nil && (t.resolving.IsZero() || t.resolved), t.resolveErr},
		{StageConnect, false, t.connected, t.connectErr},
		{StageProxy, false, t.route.Proxy == "" || !secure || t.securing, nil},
		{StageTLS, !secure, t.secured, t.tlsErr},
		{StageAnswer, false, false, nil},
	} {
		switch {
		case s.none:
		case err == nil || s.complete:
			t.route.Passed = append(t.route.Passed, s.stage)
		default:
			// The limit is the cause of the broken connection.
			if late := new(limitError); s.err == nil || errors.As(err, &late) {
				s.err = err
			}
			t.route.Failed, t.route.Err, t.route.Cause = s.stage, InWords(s.err), CauseOf(s.err)
			return t.route
		}
	}
	return t.route
}

func certificateOf(state tls.ConnectionState, err error) *x509.Certificate {
	certificates := state.PeerCertificates
	var unverified *tls.CertificateVerificationError
	if errors.As(err, &unverified) {
		certificates = unverified.UnverifiedCertificates
	}
	if len(certificates) == 0 {
		return nil
	}
	return certificates[0]
}
