package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func zip(s string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return out.Bytes()
}

func TestReplyIsBoundedAfterDecompression(t *testing.T) {
	bomb := zip(`{"x":"` + strings.Repeat(" ", 2*MaxReply) + `",` + validReply[1:])
	o := serve(t, answerWith(http.StatusOK, "application/json", string(bomb), "Content-Encoding", "gzip"))
	_, err := newClient(t, o).Chat(t.Context(), question, "")
	e := errorOf(t, err, failure.Broken, true)
	wantText(t, err.Error(), "larger than 16 MiB")
	if len(e.Body) != MaxReply {
		t.Errorf("got %d bytes", len(e.Body))
	}
}

func TestReplyIsDecompressed(t *testing.T) {
	o := serve(t, answerWith(http.StatusOK, "application/json", string(zip(validReply)), "Content-Encoding", "gzip"))
	if reply, err := newClient(t, o).Chat(t.Context(), question, ""); err != nil || string(reply.Raw) != validReply {
		t.Errorf("got %s, %v", reply.Raw, err)
	}
}

func TestBrokenReplyIsInError(t *testing.T) {
	corrupt := zip(validReply)
	corrupt[len(corrupt)-6] ^= 1
	for name, tc := range map[string]struct {
		h          http.HandlerFunc
		want, body string
	}{
		"no choice":      {answerWith(200, "application/json", `{"id":"`+canary+`"}`), "choices is missing", `{"id":"***"}`},
		"escaped token":  {answerWith(200, "application/json", `{"id":"`+escapedCanary+`","n":1}`), "choices is missing", `{"id":"***","n":1}`},
		"204":            {answerWith(204, "", ""), "204 No Content: the body is empty", ""},
		"other encoding": {answerWith(200, "application/json", "br?", "Content-Encoding", "br"), `"br"`, "br?"},
		"no gzip":        {answerWith(200, "application/json", validReply, "Content-Encoding", "gzip"), "cannot be decompressed", ""},
		"corrupt gzip":   {answerWith(200, "application/json", string(corrupt), "Content-Encoding", "gzip"), "cannot be decompressed", validReply},
	} {
		o := serve(t, tc.h)
		o.Token = token(nil)
		_, err := newClient(t, o).Chat(t.Context(), question, "")
		e := errorOf(t, err, failure.Broken, true)
		wantText(t, err.Error(), tc.want)
		if string(e.Body) != tc.body {
			t.Errorf("%s: got %q, want %q", name, e.Body, tc.body)
		}
	}
}

func TestEndlessErrorBodyIsTruncated(t *testing.T) {
	o := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
				return
			}
		}
	})
	_, err := newClient(t, o).Chat(t.Context(), question, "")
	if e := errorOf(t, err, failure.Refused, false); len([]rune(e.Message)) != maxMessage {
		t.Errorf("got %d runes", len([]rune(e.Message)))
	}
}

func TestSwitchingProtocolsIsRefusedWithoutReading(t *testing.T) {
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn)
	})
	_, err := newClient(t, o).Chat(t.Context(), question, "")
	wantError(t, err, failure.Refused, false)
}

func TestPostFollowsNoRedirect(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var requests atomic.Int32
		o := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			answerWith(status, "text/plain", "", "Location", "/elsewhere")(w, r)
		})
		_, err := newClient(t, o).Chat(t.Context(), question, "")
		// After these three the POST may have been processed (RFC 9110, section 15.4).
		wantError(t, err, failure.Refused, status <= 303)
		wantText(t, err.Error(), "redirected to "+o.BaseURL+", which is not followed")
		if requests.Load() != 1 {
			t.Errorf("%d: the service saw %d requests", status, requests.Load())
		}
	}
}

func TestTruncatedReplyIsInError(t *testing.T) {
	half := validReply[:len(validReply)/2]
	for name, tc := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"body shorter":               {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"+half), half},
		"chunks without end":         {raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n"), `{"id"`},
		"gzip cut off":               {answerWith(200, "", string(zip(validReply)[:100]), "Content-Encoding", "gzip"), validReply[:40]},
		"with the token":             {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"id\":\""+escapedCanary+" "+canary), `{"id":"*** ***`},
		"in the middle of the token": {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"id\":\""+canary[:9]), `{"id":"***`},
		"nothing":                    {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"), ""},
	} {
		o := serve(t, tc.h)
		o.Token = token(nil)
		_, err := newClient(t, o).Chat(t.Context(), question, "")
		e := errorOf(t, err, failure.Unknown, true)
		wantText(t, err.Error(), "200 OK: the answer was cut off")
		if !strings.HasPrefix(string(e.Body), tc.want) || tc.want == "" && len(e.Body) > 0 {
			t.Errorf("%s: got %q, want %q", name, e.Body, tc.want)
		}
	}
}

func TestGetFollowsThreeRedirectsInOrigin(t *testing.T) {
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other origin got %s with %v", r.URL, r.Header)
	})
	for location, want := range map[string]string{
		"":                            "",
		"/1":                          "",
		"/3":                          "",
		"/4":                          "redirected more than 3 times",
		other.BaseURL + "/":           "redirected to " + other.BaseURL + ",",
		"https://127.0.0.1/":          "redirected to https://127.0.0.1,",
		"//evil.example:99/a?b":       "redirected to http://evil.example:99,",
		"http://canary-7f3a.example/": "redirected to http://***.example,",
		"http://[":                    "invalid address",
	} {
		o := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != "Bearer canary-7f3a" {
				t.Errorf("%s: got %q", r.URL, got)
			}
			next := location
			var n int
			if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err == nil {
				next = fmt.Sprintf("http://user:pw@%s/%d#x", r.Host, n-1)
			}
			if next == "" || n == 1 {
				answerWith(http.StatusOK, "application/json", `[]`)(w, r)
				return
			}
			answerWith(http.StatusTemporaryRedirect, "text/plain", "", "Location", next)(w, r)
		})
		o.Token = func(context.Context) (Token, error) { return Token{Secret: "canary-7f3a"}, nil }
		_, err := newClient(t, o).Conversations(t.Context(), 1)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", location, err)
			}
			continue
		}
		wantError(t, err, failure.Refused, false)
		wantText(t, err.Error(), want)
	}
}
