package api

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// serveTLS starts a service with a certificate for 127.0.0.1 and example.com, and
// returns it with the options of a client that trusts it.
func serveTLS(t *testing.T, h http.HandlerFunc) (*httptest.Server, Options) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	return s, startTLS(t, s)
}

func startTLS(t *testing.T, s *httptest.Server) Options {
	t.Helper()
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	path := filepath.Join(t.TempDir(), "ca.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return Options{BaseURL: s.URL, CAFile: path}
}

// reset closes the connection of a request without a response.
func reset(t *testing.T, w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func TestCAFileIsTrusted(t *testing.T) {
	var major int
	_, o := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		major = r.ProtoMajor
		answerWith(http.StatusOK, "application/json", validReply)(w, r)
	})
	if _, err := newClient(t, o).Chat(t.Context(), question, ""); err != nil {
		t.Fatal(err)
	}
	if major != 2 {
		t.Errorf("spoke HTTP/%d", major)
	}
}

func TestUnknownCertificateIsNotRetried(t *testing.T) {
	_, o := serveTLS(t, func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") })
	o.CAFile, o.Retries = "", 2
	o.OnWait = func(w Wait) { t.Errorf("waits after %v", w.Err) }
	_, err := newClient(t, o).Chat(t.Context(), question, "")
	wantError(t, err, failure.NotSent, false)
	wantText(t, err.Error(), "certificate")
}

func TestCAFileWithoutCertificateIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := New(Options{BaseURL: "https://host", CAFile: path})
	var config *ConfigError
	if !errors.As(err, &config) || config.Setting != "ca_file" {
		t.Errorf("got %v", err)
	}
}

func TestRefusedConnectionIsNotSent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	waits := 0
	c := newClient(t, Options{BaseURL: "http://" + address, Retries: 1, OnWait: func(Wait) { waits++ }})
	_, err = c.Chat(t.Context(), question, "")
	wantError(t, err, failure.NotSent, false)
	if waits != 1 || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v after %d waits", err, waits)
	}
}

func TestLocalhostUsesLoopbackOnly(t *testing.T) {
	var dialled []string
	d := &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		dialled = append(dialled, address)
		return syscall.ECONNREFUSED
	}}
	_, err := dialer(d)(t.Context(), "tcp", "LocalHost:8080")
	if got := strings.Join(dialled, " "); got != "127.0.0.1:8080 [::1]:8080" || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dialled %s: %v", got, err)
	}
}

func TestProxyRefusalIsNotSent(t *testing.T) {
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Method != http.MethodConnect || r.Header.Get("Authorization") != "" {
			t.Errorf("got %s with %v", r.Method, r.Header)
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTPS_PROXY", strings.Replace(proxy.URL, "http://", "http://user:hunter2@", 1))
	c := newClient(t, Options{BaseURL: "https://example.com", Retries: 1, Token: token(nil)})
	_, err := c.Chat(t.Context(), question, "")
	wantError(t, err, failure.NotSent, false)
	wantText(t, err.Error(), "refused to connect: 502 Bad Gateway")
	if strings.Contains(err.Error(), "hunter2") || asked.Load() != 2 {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
}

func TestInvalidProxyAddressIsNotShown(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://user:hunter2@ho st")
	_, err := newClient(t, Options{BaseURL: "https://example.com"}).Chat(t.Context(), question, "")
	wantError(t, err, failure.NotSent, false)
	if strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

func TestProxyCarriesRequest(t *testing.T) {
	service, o := serveTLS(t, answerWith(http.StatusOK, "application/json", validReply))
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "example.com:443" {
			t.Errorf("connects to %s", r.Host)
		}
		out, err := net.Dial("tcp", service.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		w.WriteHeader(http.StatusOK)
		in, early, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		// The buffer contains what the client has sent already.
		go func() { _, _ = io.Copy(out, early); _ = out.Close() }()
		go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	o.BaseURL = "https://example.com"
	if reply, err := newClient(t, o).Chat(t.Context(), question, ""); err != nil || reply.Text != "hi" {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestFailureAfterConnectionHasUnknownOutcome(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"reset":              func(w http.ResponseWriter, _ *http.Request) { reset(t, w) },
		"closed":             func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no HTTP":            raw(t, "canary/7f3a+token== nonsense\r\n\r\n"),
		"too many headers":   raw(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", maxHeaderBytes)+"\r\n\r\n"),
		"body shorter":       raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"+validReply),
		"chunks without end": raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n"),
		"gzip cut off":       answerWith(200, "", string(zip(validReply)[:40]), "Content-Encoding", "gzip"),
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			o := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				h(w, r)
			})
			o.Retries, o.Token = 2, token(nil)
			_, err := newClient(t, o).Chat(t.Context(), question, "id")
			wantError(t, err, failure.Unknown, true)
			if requests.Load() != 1 {
				t.Errorf("the service saw the request %d times", requests.Load())
			}
		})
	}
}

// raw answers with arbitrary bytes and closes the connection.
func raw(t *testing.T, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

func TestTimeLimitEndsRequest(t *testing.T) {
	t.Parallel()
	o := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	o.Timeout = 2 * time.Second // in which a slow machine connects, too
	_, err := newClient(t, o).Chat(t.Context(), question, "")
	wantError(t, err, failure.Unknown, true)
	wantText(t, err.Error(), "time limit of 2s")
}

func TestHTTP2NeverReplaysPost(t *testing.T) {
	service := httptest.NewUnstartedServer(nil)
	var requests atomic.Int32
	speak := func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
		_, _ = io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
		f := http2.NewFramer(conn, conn)
		_ = f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if frame.Header().Type == http2.FrameHeaders {
				requests.Add(1)
				_ = f.WriteRSTStream(frame.Header().StreamID, http2.ErrCodeProtocol)
			}
		}
	}
	service.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": speak}
	o := startTLS(t, service)
	_, err := newClient(t, o).Chat(t.Context(), question, "id")
	wantError(t, err, failure.Unknown, true)
	if requests.Load() != 1 {
		t.Errorf("the service saw the request %d times", requests.Load())
	}
}
