package cassette_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cassette"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

const token = "secret-token/0123456789"

// ask sends a question with a client of options.
func ask(t *testing.T, options api.Options, question string) (api.Reply, error) {
	t.Helper()
	options.Token = func(context.Context) (api.Token, error) { return api.Token{Secret: token}, nil }
	client, err := api.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client.Chat(t.Context(), api.Request{Messages: []api.Message{{Role: api.RoleUser, Content: question}}}, "")
}

func record(t *testing.T, path string) (*cassette.Recorder, func(api.Exchange)) {
	t.Helper()
	r, err := cassette.Record(path)
	if err != nil {
		t.Fatal(err)
	}
	return r, func(e api.Exchange) { r.Add(e, cassette.Origin{Profile: "work"}) }
}

func replay(t *testing.T, path string) *cassette.Player {
	t.Helper()
	p, err := cassette.Replay(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func completion(text string) string {
	return fmt.Sprintf(`{"id":"1","conversation_id":"2","object":"chat.completion","created":1.50,"model":"m","choices":[{"message":{"role":"assistant","content":%q},"index":0,"finish_reason":"stop"}]}`, text)
}

// hijack closes the connection after writing text.
func hijack(w http.ResponseWriter, text string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, text)
	if tcp, ok := conn.(*net.TCPConn); ok && text == "" {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// TestReplayIsLikeRecording records each outcome of a real server and compares the
// result of the replay, for which another address is used.
func TestReplayIsLikeRecording(t *testing.T) {
	release := make(chan struct{})
	outcomes := map[string]http.HandlerFunc{
		"reply": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, completion("hello\n\u2028<b>\x7f"))
		},
		"not JSON":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello") },
		"not UTF-8": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "\xff\x00") },
		"empty":     func(http.ResponseWriter, *http.Request) {},
		"no choice": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"choices":[]}`) },
		"401":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":"no"}`, http.StatusUnauthorized) },
		"404":       func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) },
		"413":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(413) },
		"500":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, strings.Repeat("x", 100_000), 500) },
		"503":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"307": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/x", http.StatusTemporaryRedirect)
		},
		"reset":  func(w http.ResponseWriter, _ *http.Request) { hijack(w, "") },
		"closed": func(w http.ResponseWriter, _ *http.Request) { hijack(w, "HTTP/1.1 ") },
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"id\"")
		},
		"bad gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "x")
		},
		"unknown gzp": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "x")
		},
		"too large": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.Copy(w, io.LimitReader(neverEnding('x'), api.MaxReply+1))
		},
		"429": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(429)
		},
		"late": func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		for name, outcome := range outcomes {
			if strings.Contains(body.String(), `"`+name+`"`) {
				outcome(w, r)
			}
		}
	}))
	defer server.Close()
	defer close(release)
	for name := range outcomes {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			recorder, add := record(t, path)
			options := api.Options{BaseURL: server.URL + "/prefix", Timeout: time.Minute, Record: add}
			if name == "late" {
				options.Timeout = 500 * time.Millisecond
			}
			want, wantErr := ask(t, options, name)
			if err := recorder.Close(); err != nil {
				t.Fatal(err)
			}
			compare(t, path, name, server.URL+"/prefix", want, wantErr)
		})
	}
	t.Run("refused", func(t *testing.T) {
		closed := httptest.NewServer(nil)
		closed.Close()
		path := filepath.Join(t.TempDir(), "r.jsonl")
		_, add := record(t, path)
		want, wantErr := ask(t, api.Options{BaseURL: closed.URL, Record: add}, "refused")
		compare(t, path, "refused", closed.URL, want, wantErr)
	})
}

type neverEnding byte

func (b neverEnding) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

// compare replays a question and compares the result with the recorded one.
func compare(t *testing.T, path, question, base string, want api.Reply, wantErr error) {
	t.Helper()
	got, err := ask(t, api.Options{BaseURL: "https://other.example.com", Replay: replay(t, path).Answer}, question)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("replayed %+v, recorded %+v", got, want)
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("replayed error %v, recorded %v", err, wantErr)
	}
	if err == nil {
		return
	}
	var replayed, recorded *api.Error
	if !errors.As(err, &replayed) || !errors.As(wantErr, &recorded) {
		t.Fatalf("replayed %T, recorded %T", err, wantErr)
	}
	if text := strings.ReplaceAll(err.Error(), "https://other.example.com", base); text != wantErr.Error() {
		t.Errorf("replayed %q, recorded %q", text, wantErr)
	}
	if fmt.Sprint(failure.Of(err)) != fmt.Sprint(failure.Of(wantErr)) || replayed.MaybeAccepted != recorded.MaybeAccepted || !bytes.Equal(replayed.Body, recorded.Body) {
		t.Errorf("replayed %+v, recorded %+v", replayed, recorded)
	}
}

// TestRetryAfterIsRecordedInSeconds checks that a date, which would be in the past when
// it is replayed, is recorded as a wait.
func TestRetryAfterIsRecordedInSeconds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(429)
	}))
	defer server.Close()
	var recorded api.Exchange
	_, _ = ask(t, api.Options{BaseURL: server.URL, Record: func(e api.Exchange) { recorded = e }}, "x")
	wait, err := time.ParseDuration(recorded.Header.Get("Retry-After") + "s")
	if err != nil || wait < 119*time.Minute || wait > 2*time.Hour {
		t.Errorf("Retry-After %q, %v", recorded.Header.Get("Retry-After"), err)
	}
}

func TestTokenIsNotRecorded(t *testing.T) {
	escaped := strings.ReplaceAll(token, "/", `\/`)
	percent := strings.ReplaceAll(token, "/", "%2F")
	for name, handler := range map[string]http.HandlerFunc{
		"in a reply": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, completion("your token is "+token))
		},
		"escaped": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Replace(completion("TOKEN"), "TOKEN", escaped, 1))
		},
		"in an error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "bad token "+token+" or "+percent, 500) },
		"in a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/?t="+percent, http.StatusTemporaryRedirect)
		},
		"in a header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", token)
			w.WriteHeader(500)
		},
		"at the end": func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"+token[:len(token)-1])
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			path := filepath.Join(t.TempDir(), "r.jsonl")
			_, add := record(t, path)
			question := "does " + token + " work?"
			_, wantErr := ask(t, api.Options{BaseURL: server.URL, Record: add}, question)
			data, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(data, []byte(`"does *** work?"`)) {
				t.Fatalf("%v\n%s", err, data)
			}
			for _, secret := range []string{token, token[:len(token)-1], escaped, percent, "Authorization", "Bearer"} {
				if bytes.Contains(data, []byte(secret)) {
					t.Errorf("the recording has %q:\n%s", secret, data)
				}
			}
			// With the token, the question is recognized.
			_, err = ask(t, api.Options{BaseURL: server.URL, Replay: replay(t, path).Answer}, question)
			if failure.Of(err).Kind != failure.Of(wantErr).Kind {
				t.Errorf("replayed %v, recorded %v", err, wantErr)
			}
		})
	}
}

func exchange(question, reply string) api.Exchange {
	return api.Exchange{
		Method: "POST", Target: "/api/v1/chat", Request: fmt.Appendf(nil, `{"messages":[{"role":"user","content":%q}]}`, question),
		Outcome: api.Outcome{Status: 200, Body: fmt.Appendf(nil, "%q", reply)},
	}
}

func TestRepeatedRequestsAreAnsweredInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	_, add := record(t, path)
	for _, reply := range []string{"1", "2", "3"} {
		add(exchange("roll", reply))
		add(exchange("other", "x"+reply))
	}
	p := replay(t, path)
	for i, want := range []string{`"1"`, `"2"`, `"3"`, `"3"`, `"3"`} {
		if got, err := p.Answer(exchange("roll", "")); err != nil || string(got.Body) != want {
			t.Errorf("answer %d is %s, %v; want %s", i+1, got.Body, err, want)
		}
	}
	if got, err := p.Answer(exchange("other", "")); err != nil || string(got.Body) != `"x1"` {
		t.Errorf("the first answer to the other question is %s, %v", got.Body, err)
	}
}

func TestSameRequestInAnotherForm(t *testing.T) {
	path := write(t, `{"format":"hobnob-recording","version":1}

{"response":{"status":200,"text":"x"},"request":{"path":"/api/v1/chat","body":{"agentId":"0B6F2F0E-8D0C-4F0E-9D4E-3A5B1C2D3E4F","messages":[{"content":"\u0061","role":"user"}]},"method":"POST"}}
{"format":"hobnob-recording","version":1}
{"request":{"method":"GET","path":"/x?limit=1"},"response":{"status":204}}`)
	p := replay(t, path)
	if p.Incomplete != 0 {
		t.Error("a last line without a newline is complete")
	}
	got, err := p.Answer(api.Exchange{Method: "POST", Target: "/api/v1/chat", Request: []byte(`{"messages":[{"role":"user","content":"a"}],"agentId":"0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f"}`)})
	if err != nil || string(got.Body) != "x" {
		t.Errorf("%s, %v", got.Body, err)
	}
	if got, err := p.Answer(api.Exchange{Method: "GET", Target: "/x?limit=1"}); err != nil || got.Status != 204 {
		t.Errorf("%d, %v", got.Status, err)
	}
	if _, err := p.Answer(api.Exchange{Method: "GET", Target: "/x?limit=2"}); failure.Of(err).Kind != failure.NoRecording {
		t.Errorf("another limit: %v", err)
	}
}

func TestSeveralRecorders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	const recorders, each = 8, 40
	var group sync.WaitGroup
	for i := range recorders {
		r, err := cassette.Record(path)
		if err != nil {
			t.Fatal(err)
		}
		for j := range each {
			group.Go(func() { r.Add(exchange(fmt.Sprint(i, "-", j), "reply"), cassette.Origin{}) })
		}
		defer func() {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	p := replay(t, path)
	for i := range recorders {
		for j := range each {
			if _, err := p.Answer(exchange(fmt.Sprint(i, "-", j), "")); err != nil {
				t.Error(err)
			}
		}
	}
}
