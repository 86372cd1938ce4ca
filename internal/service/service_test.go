package service_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"time"

	"context"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

const (
	echoID   = agent.EchoID
	brokenID = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1eff"
)

type agentFunc func(context.Context, []agent.Message) (agent.Answer, error)

func (f agentFunc) Complete(ctx context.Context, m []agent.Message) (agent.Answer, error) {
	return f(ctx, m)
}

func newHandler(t *testing.T, token string) http.Handler {
	t.Helper()
	store, err := service.OpenSQLite(t.Context(), sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	agents, err := service.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	agents = slices.DeleteFunc(agents, func(a service.Agent) bool { return a.ID != echoID })
	return service.New(service.Options{Store: store, Token: token, Agents: append(agents,
		service.Agent{ID: brokenID, Name: "broken", Agent: agentFunc(func(context.Context, []agent.Message) (agent.Answer, error) {
			return agent.Answer{}, errors.New("secret detail")
		})})})
}

func do(t *testing.T, h http.Handler, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

func TestCompletionFollowsInterface(t *testing.T) {
	h := newHandler(t, "")
	_, body := do(t, h, "POST", "/api/v1/chat", `{"messages":[{"role":"user","content":"hällo <b>"}],"agentId":"`+echoID+`"}`)
	var got map[string]any
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, key := range []string{"id", "conversation_id"} {
		if text, _ := got[key].(string); uuid.Validate(text) != nil {
			t.Errorf("%s is %v, want a UUID", key, got[key])
		}
	}
	if got["object"] != "chat.completion" || got["model"] != "echo" {
		t.Errorf("object %v, model %v", got["object"], got["model"])
	}
	if created, _ := got["created"].(float64); created == math.Trunc(created) || math.Abs(created-float64(time.Now().Unix())) > 60 {
		t.Errorf("created is %v, want seconds with a fraction", got["created"])
	}
	choices, _ := got["choices"].([]any)
	if len(choices) != 1 {
		t.Fatalf("choices are %v", got["choices"])
	}
	want := map[string]any{"index": 0.0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": "hällo <b>"}}
	if a, b := mustJSON(t, choices[0]), mustJSON(t, want); a != b {
		t.Errorf("the choice is %s, want %s", a, b)
	}
	usage, _ := got["usage"].(map[string]any)
	sum := func(key string) float64 { n, _ := usage[key].(float64); return n }
	if len(usage) != 3 || sum("prompt_tokens") < 1 || sum("completion_tokens") < 1 || sum("total_tokens") != sum("prompt_tokens")+sum("completion_tokens") {
		t.Errorf("usage is %v", usage)
	}
	if len(got) != 7 {
		t.Errorf("the body has %d fields, want 7: %s", len(got), body)
	}
}

func TestListingOfConversations(t *testing.T) {
	h := newHandler(t, "")
	for range 12 {
		if r, body := do(t, h, "POST", "/api/v1/chat", `{"messages":[{"role":"user","content":"same"}]}`); r.StatusCode != 200 {
			t.Fatalf("status %d: %s", r.StatusCode, body)
		}
	}
	for path, want := range map[string]int{
		"/api/v1/conversations": 10, "/api/v1/chat": 10, "/api/v1/conversations?limit=3": 3, "/api/v1/chat?limit=3": 3, "/api/v1/conversations?limit=100": 12, "/api/v1/conversations?limit=5000": 12,
	} {
		_, body := do(t, h, "GET", path, "")
		var page struct {
			Object  string                 `json:"object"`
			Data    []service.Conversation `json:"data"`
			HasMore bool                   `json:"has_more"`
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || page.Object != "list" || len(page.Data) != want || page.HasMore != (want < 12) {
			t.Errorf("GET %s: %v, %d rows, more %v; want %d", path, err, len(page.Data), page.HasMore, want)
		}
		ids := map[string]bool{}
		for i, c := range page.Data {
			ids[c.ID] = true
			if i > 0 && c.Created > page.Data[i-1].Created {
				t.Errorf("GET %s: not newest first", path)
			}
		}
		if len(ids) != want {
			t.Errorf("GET %s: %d different ids, want %d", path, len(ids), want)
		}
	}
	if _, body := do(t, newHandler(t, ""), "GET", "/api/v1/conversations", ""); !strings.Contains(body, `"data":[]`) {
		t.Errorf("the empty listing is %s", body)
	}
}

func TestInvalidRequests(t *testing.T) {
	h := newHandler(t, "")
	ok := `{"messages":[{"role":"user","content":"x"}]}`
	for name, tc := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		want               string
	}{
		"no messages":        {"POST", "/api/v1/chat", `{}`, nil, 400, "messages must not be empty"},
		"not an object":      {"POST", "/api/v1/chat", `[]`, nil, 400, "JSON object"},
		"trailing data":      {"POST", "/api/v1/chat", ok + "x", nil, 400, "JSON object"},
		"empty body":         {"POST", "/api/v1/chat", ``, nil, 400, "JSON object"},
		"bad role":           {"POST", "/api/v1/chat", `{"messages":[{"role":"system","content":"x"}]}`, nil, 400, "messages[0].role"},
		"empty content":      {"POST", "/api/v1/chat", `{"messages":[{"role":"user","content":""}]}`, nil, 400, "messages[0].content"},
		"wrong type":         {"POST", "/api/v1/chat", `{"messages":[{"role":"user","content":5}]}`, nil, 400, "number"},
		"assistant last":     {"POST", "/api/v1/chat", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, nil, 400, "messages[1].role must be user"},
		"invalid agent id":   {"POST", "/api/v1/chat", `{"messages":[{"role":"user","content":"x"}],"agentId":"echo"}`, nil, 400, "UUID"},
		"unknown agent":      {"POST", "/api/v1/chat", `{"messages":[{"role":"user","content":"x"}],"agentId":"00000000-0000-4000-8000-000000000000"}`, nil, 404, "not found"},
		"agent fails":        {"POST", "/api/v1/chat", `{"messages":[{"role":"user","content":"x"}],"agentId":"` + brokenID + `"}`, nil, 502, "could not answer"},
		"invalid UTF-8":      {"POST", "/api/v1/chat", "{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}", nil, 400, "UTF-8"},
		"other content type": {"POST", "/api/v1/chat", ok, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		"limit 0":            {"GET", "/api/v1/conversations?limit=0", "", nil, 400, "positive number"},
		"limit of letters":   {"GET", "/api/v1/chat?limit=ten", "", nil, 400, "positive number"},
		"other method":       {"DELETE", "/api/v1/chat", "", nil, 405, "DELETE"},
		"other path":         {"GET", "/", "", nil, 404, "/api/v1"},
	} {
		r, body := do(t, h, tc.method, tc.path, tc.body, tc.header...)
		var e struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Code == "" {
			t.Errorf("%s: the body is %s, want an error object", name, body)
		}
		if r.StatusCode != tc.status || !strings.Contains(e.Error.Message, tc.want) || strings.Contains(body, "secret detail") {
			t.Errorf("%s: %d %s; want %d and %q", name, r.StatusCode, body, tc.status, tc.want)
		}
	}
	if r, _ := do(t, h, "PUT", "/api/v1/conversations", ""); r.Header.Get("Allow") != "GET" {
		t.Errorf("Allow is %q", r.Header.Get("Allow"))
	}
}

func TestAuthorization(t *testing.T) {
	h := newHandler(t, "right")
	for header, want := range map[string]int{
		"": 401, "Bearer": 401, "Bearer wrong": 401, "Bearer right ": 401, "Basic right": 401, "right": 401, "Bearer right": 200, "bearer right": 200,
	} {
		for _, path := range []string{"/api/v1/conversations", "/api/v1/chat"} {
			r, body := do(t, h, "GET", path, "", "Authorization", header)
			if r.StatusCode != want || want == 401 && r.Header.Get("WWW-Authenticate") == "" || strings.Contains(body, "wrong") {
				t.Errorf("%q on %s: %d %s; want %d", header, path, r.StatusCode, body, want)
			}
		}
	}
	if r, _ := do(t, h, "GET", "/healthz", ""); r.StatusCode != 200 {
		t.Errorf("/healthz requires a token")
	}
	if a, b := service.NewToken(), service.NewToken(); a == b || len(a) < 64 {
		t.Errorf("NewToken returned %q and %q", a, b)
	}
}

func TestTransportReportsConnection(t *testing.T) {
	client := &http.Client{Transport: service.Transport(newHandler(t, ""))}
	connected := false
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	r, err := http.NewRequestWithContext(ctx, "POST", "http://embedded/api/v1/chat", bytes.NewReader([]byte(`{"messages":[{"role":"user","content":"x"}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != 200 || !connected || !strings.Contains(string(body), "chat.completion") {
		t.Errorf("%d, connected %v, %s", response.StatusCode, connected, body)
	}
}

func TestTransportCancelAndPanic(t *testing.T) {
	release := make(chan struct{})
	client := &http.Client{Transport: service.Transport(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("boom")
		}
		<-release
	}))}
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for path, want := range map[string]string{"/wait": "context canceled", "/panic": "boom"} {
		ctx := ctx
		if path == "/panic" {
			ctx = t.Context()
		}
		r, _ := http.NewRequestWithContext(ctx, "GET", "http://embedded"+path, nil)
		response, err := client.Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestServeFinishesRunningRequests(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	running := make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- service.Serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(running)
			<-ctx.Done()
			_, _ = io.WriteString(w, "finished")
		}))
	}()
	go func() { <-running; cancel() }()
	response, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, _ := io.ReadAll(response.Body); string(body) != "finished" {
		t.Errorf("the running request received %q", body)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

func TestPathsAreCleanedWithoutRedirect(t *testing.T) {
	h := newHandler(t, "right")
	for path, want := range map[string]int{
		"//api/v1/chat": 200, "/api//v1/conversations?limit=1": 200, "/api/v1/conversations/": 200, "/x/../api/v1/chat": 200, "//elsewhere.example.com": 404, "/api/v1": 404,
	} {
		if r, body := do(t, h, "GET", path, "", "Authorization", "Bearer right"); r.StatusCode != want || r.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s; want %d", path, r.StatusCode, body, want)
		}
		if r, body := do(t, h, "GET", path, ""); want == 200 && r.StatusCode != 401 || r.Header.Get("Location") != "" {
			t.Errorf("%s without a token: %d %s", path, r.StatusCode, body)
		}
	}
	if r, _ := do(t, h, "HEAD", "/healthz", ""); r.StatusCode != 200 {
		t.Errorf("HEAD /healthz: %d", r.StatusCode)
	}
}

func TestServeRefusesWebPages(t *testing.T) {
	listener, err := service.ListenLoopback(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- service.Serve(ctx, listener, newHandler(t, "right")) }()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	for _, tt := range []struct {
		host, origin string
		want         int
	}{
		{address, "", 200}, {"localhost:" + port, "", 200}, {"LocalHost", "", 200}, {"[::1]:" + port, "", 200}, {"127.8.9.1:9000", "", 200}, {"app.localhost:" + port, "", 200},
		{address, "http://" + address, 200}, {"localhost:" + port, "http://localhost:" + port, 200},
		{"rebound.example.com:" + port, "", 421}, {"rebound.example.com", "", 421}, {"192.168.0.1:" + port, "", 421}, {"0.0.0.0:" + port, "", 421},
		{"notlocalhost:" + port, "", 421}, {"127.0.0.1.example.com:" + port, "", 421}, {"localhost.example.com", "", 421}, {"127.0.0.1@example.com", "", 421}, {"[::2]:" + port, "", 421},
		{address, "https://example.com", 403}, {address, "null", 403}, {address, "https://" + address, 403}, {address, "http://localhost:1", 403},
		{"rebound.example.com:" + port, "http://rebound.example.com:" + port, 421},
	} {
		for _, path := range []string{"/healthz", "/api/v1/chat"} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = tt.host
			r.Header.Set("Authorization", "Bearer right")
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Errorf("%+v: %v", tt, err)
				continue
			}
			_ = response.Body.Close()
			if response.StatusCode != tt.want || response.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s, host %q, origin %q: %d, want %d", path, tt.host, tt.origin, response.StatusCode, tt.want)
			}
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
