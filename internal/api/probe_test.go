package api

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// certified starts a service with a certificate for names and 127.0.0.1 that is
// valid between the given days. It returns the address and the certificate as a PEM
// file.
func certified(t *testing.T, from, to time.Duration, names []string, ips ...net.IP) (address, pemFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test"}, NotBefore: now.Add(from), NotAfter: now.Add(to),
		DNSNames: names, IPAddresses: ips, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(answerWith(http.StatusUnauthorized, "application/json", "{}"))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	pemFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(pemFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, pemFile
}

// listens starts a listener that passes its connections to serve.
func listens(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			go serve(c)
		}
	}()
	return l.Addr().String()
}

func mutely(net.Conn) {}

// proxyTo starts a proxy that connects every name to target, or answers with status.
func proxyTo(t *testing.T, target string, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || status != 0 {
			w.WriteHeader(max(status, 400))
			return
		}
		there, err := net.Dial("tcp", target)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		here, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
		go func() { _, _ = io.Copy(here, there); _ = here.Close() }()
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "http://", "http://user:canary@", 1)
}

var (
	loopback = net.IPv4(127, 0, 0, 1)
	day      = 24 * time.Hour
)

const (
	// timesOut is the limit for stages that must time out. It applies to the stages
	// before as well, which must succeed on a slow machine.
	timesOut = 2 * time.Second
	patience = 30 * time.Second
)

func probe(t *testing.T, o Options) Route {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	r, err := Probe(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Err != nil && strings.Contains(r.Err.Error()+r.Proxy, "canary") {
		t.Errorf("shows the password: %v, %s", r.Err, r.Proxy)
	}
	return r
}

func wantEnd(t *testing.T, r Route, stage Stage, cause Cause) {
	t.Helper()
	if r.Failed != stage || r.Cause != cause || r.Err == nil {
		t.Errorf("ends at %q for %q (%v), want %q for %q", r.Failed, r.Cause, r.Err, stage, cause)
	}
	before := []Stage{StageResolve, StageConnect, StageProxy, StageTLS, StageAnswer}
	if at := slices.Index(before, stage); at >= 0 && !slices.Equal(r.Passed, before[:at]) {
		t.Errorf("passed %v before %s", r.Passed, stage)
	}
}

func TestProbeReportsCertificateFault(t *testing.T) {
	for name, tt := range map[string]struct {
		from, to time.Duration
		names    []string
		ips      []net.IP
		known    bool
		want     Cause
	}{
		"expired":           {from: -3 * day, to: -day, ips: []net.IP{loopback}, known: true, want: CauseExpired},
		"not begun":         {from: day, to: 3 * day, ips: []net.IP{loopback}, known: true, want: CauseNotYetValid},
		"wrong name":        {from: -day, to: day, names: []string{"other.example.com"}, known: true, want: CauseWrongName},
		"unknown authority": {from: -day, to: day, ips: []net.IP{loopback}, want: CauseAuthority},
	} {
		t.Run(name, func(t *testing.T) {
			address, ca := certified(t, tt.from, tt.to, tt.names, tt.ips...)
			o := Options{BaseURL: address}
			if tt.known {
				o.CAFile = ca
			}
			r := probe(t, o)
			wantEnd(t, r, StageTLS, tt.want)
			if r.Certificate == nil {
				t.Error("does not show the certificate")
			}
			if _, err := newClient(t, o).Conversations(t.Context(), 1); CauseOf(err) != tt.want {
				t.Errorf("a request fails for %q: %v", CauseOf(err), err)
			}
		})
	}
}

func TestProbeReportsFailedStage(t *testing.T) {
	plain := httptest.NewServer(answerWith(http.StatusOK, "text/plain", ""))
	t.Cleanup(plain.Close)
	closed := listens(t, func(c net.Conn) { _ = c.Close() })
	garbage := listens(t, func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-server\r\n"); _ = c.Close() })
	for name, tt := range map[string]struct {
		base  string
		stage Stage
		cause Cause
	}{
		"no such name":       {"https://nowhere.invalid", StageResolve, ""},
		"refused":            {"http://127.0.0.1:1", StageConnect, CauseRefused},
		"mute at TLS":        {"https://" + listens(t, mutely), StageTLS, CauseTimeout},
		"mute at the answer": {"http://" + listens(t, mutely), StageAnswer, CauseTimeout},
		"no TLS":             {strings.Replace(plain.URL, "http:", "https:", 1), StageTLS, CauseNotTLS},
		"closed":             {"https://" + closed, StageTLS, CauseOther},
		"another protocol":   {"https://" + garbage, StageTLS, CauseNotTLS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{BaseURL: tt.base}
			if tt.cause == CauseTimeout || tt.cause == "" {
				o.Timeout = timesOut
			}
			r := probe(t, o)
			if tt.cause == "" { // the resolver decides whether it knows, or does not answer
				if tt.cause = CauseNoHost; r.Cause == CauseResolver || r.Cause == CauseTimeout {
					tt.cause = r.Cause
				}
			}
			if tt.stage == StageAnswer {
				if r.Failed != tt.stage || r.Cause != tt.cause {
					t.Errorf("ends at %q for %q: %v", r.Failed, r.Cause, r.Err)
				}
				return
			}
			wantEnd(t, r, tt.stage, tt.cause)
		})
	}
}

func TestProbeUsesProxy(t *testing.T) {
	address, ca := certified(t, -day, day, []string{"chat.invalid"})
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		proxy string
		stage Stage
		cause Cause
	}{
		"that connects":        {proxy: proxyTo(t, target.Host, 0)},
		"that refuses":         {proxyTo(t, "", http.StatusForbidden), StageProxy, CauseProxy},
		"that wants a login":   {proxyTo(t, "", http.StatusProxyAuthRequired), StageProxy, CauseProxyLogin},
		"that is not there":    {"http://user:canary@127.0.0.1:1", StageConnect, CauseRefused},
		"that is mute":         {"http://" + listens(t, mutely), StageProxy, CauseTimeout},
		"of SOCKS that closes": {"socks5://" + listens(t, func(c net.Conn) { _ = c.Close() }), StageProxy, CauseProxy},
		"that speaks no TLS":   {strings.Replace(proxyTo(t, target.Host, 0), "http:", "https:", 1), StageProxy, CauseProxy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HTTPS_PROXY", tt.proxy)
			t.Setenv("NO_PROXY", "")
			o := Options{BaseURL: "https://chat.invalid", CAFile: ca, Timeout: patience}
			if tt.cause == CauseTimeout {
				o.Timeout = timesOut
			}
			r := probe(t, o)
			if tt.stage == "" {
				if r.Failed != "" || r.Status != http.StatusUnauthorized || !strings.HasPrefix(r.Proxy, "http://127.0.0.1:") || r.Host != "127.0.0.1" {
					t.Errorf("got %+v", r)
				}
				return
			}
			if r.Failed != tt.stage || r.Cause != tt.cause {
				t.Errorf("ends at %q for %q: %v", r.Failed, r.Cause, r.Err)
			}
			if tt.cause != CauseProxyLogin {
				return
			}
			if _, err := newClient(t, o).Conversations(t.Context(), 1); CauseOf(err) != tt.cause {
				t.Errorf("a request fails for %q: %v", CauseOf(err), err)
			}
		})
	}
}

func TestProbeReportsIgnoredProxy(t *testing.T) {
	for proxy, want := range map[string]bool{"": false, "http://user:canary@%zz": true, "http://127.0.0.1:1": false} {
		t.Setenv("HTTPS_PROXY", proxy)
		if r := probe(t, Options{BaseURL: "https://127.0.0.1:1"}); r.IgnoredProxy != want || r.Proxy != "" {
			t.Errorf("%s: got %+v", proxy, r)
		}
	}
}

func TestProbeReportsResponse(t *testing.T) {
	var asked *http.Request
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Clone(context.Background())
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		w.Header().Set("Location", "https://login.example.com/?next=chat")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusFound)
	})
	o.Token, o.BaseURL = token(nil), strings.Replace(o.BaseURL, "127.0.0.1", "localhost", 1)
	r := probe(t, o)
	if r.Failed != "" || r.Status != http.StatusFound || r.MediaType != "text/html" || r.Elsewhere != "https://login.example.com" {
		t.Errorf("got %+v", r)
	}
	if off := r.Skew + time.Hour; !r.HasClock || off.Abs() > time.Minute {
		t.Errorf("the clock is off by %s", r.Skew)
	}
	if len(r.Addresses) != 0 || !strings.HasPrefix(r.Address, "127.0.0.1:") || r.Failed != "" {
		t.Errorf("got %+v", r)
	}
	if asked.Header.Get("Authorization") != "" || asked.Method != http.MethodGet || asked.URL.RequestURI() != "/api/v1/conversations?limit=1" {
		t.Errorf("asked for %s with %v", asked.URL, asked.Header)
	}
}

func TestProbeReportsTLS(t *testing.T) {
	address, ca := certified(t, -day, 3*day+time.Hour, nil, loopback)
	r := probe(t, Options{BaseURL: address, CAFile: ca})
	if r.Failed != "" || r.TLS != "TLS 1.3" || r.Certificate == nil || time.Until(r.Certificate.NotAfter) > 4*day {
		t.Errorf("got %+v", r)
	}
}

func TestProbeStopsWithContext(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	address := listens(t, func(net.Conn) { cancel(stopped) })
	if _, err := Probe(ctx, Options{BaseURL: "http://" + address}); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
	var mistake *ConfigError
	if _, err := Probe(t.Context(), Options{BaseURL: "https://chat.example.com", CAFile: "nowhere.pem"}); !errors.As(err, &mistake) || mistake.Setting != "ca_file" {
		t.Errorf("got %v", err)
	}
}

func TestFindListingReturnsPath(t *testing.T) {
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != chatPath {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		answerWith(http.StatusOK, "application/json", "[]")(w, r)
	})
	if path, err := newClient(t, o).FindListing(t.Context()); err != nil || path != chatPath {
		t.Errorf("got %q, %v", path, err)
	}
}
