package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

const (
	agentID = "0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f"
	canary  = "canary/7f3a+token=="
	// escapedCanary is the canary with JSON escapes.
	escapedCanary = `\u0063an\u0061ry\/7f3a\u002Btoken=\u003d`
	validReply    = `{"id":"c1","conversation_id":"s1","object":"chat.completion","created":1754300000.25,"model":"m",` +
		`"choices":[{"message":{"role":"assistant","content":"hi"},"index":0,"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
)

// TestMain removes proxies from the environment.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"} {
		_ = os.Unsetenv(name)
		_ = os.Unsetenv(strings.ToLower(name))
	}
	m.Run()
}

var question = Request{Messages: []Message{{Role: RoleUser, Content: "explain <b> & go"}}, AgentID: agentID}

func newClient(t *testing.T, o Options) *Client {
	t.Helper()
	if o.BaseURL == "" {
		o.BaseURL = "https://chat.example.com"
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serve starts a service on loopback and returns the options of a client.
func serve(t *testing.T, h http.HandlerFunc) Options {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return Options{BaseURL: s.URL}
}

func answerWith(status int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func wantError(t *testing.T, err error, kind failure.Kind, maybeAccepted bool) {
	t.Helper()
	_ = errorOf(t, err, kind, maybeAccepted)
}

// errorOf returns err as an *Error of the given kind.
func errorOf(t *testing.T, err error, kind failure.Kind, maybeAccepted bool) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if e.Kind != kind || e.MaybeAccepted != maybeAccepted {
		t.Fatalf("got kind %d, maybe accepted %t, want %d, %t: %v", e.Kind, e.MaybeAccepted, kind, maybeAccepted, err)
	}
	if strings.Contains(err.Error(), canary) {
		t.Fatalf("the error shows the token: %v", err)
	}
	return e
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got %q, want it to contain %q", got, want)
	}
}

// transportFunc is a transport without a network.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// handOver reports a connection to the trace of the request, as net/http does.
func handOver(r *http.Request) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
}

func response(status int, body string, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// token returns the canary and counts the calls.
func token(count *int) func(context.Context) (Token, error) {
	return func(context.Context) (Token, error) {
		if count != nil {
			*count++
		}
		return Token{Secret: canary}, nil
	}
}
