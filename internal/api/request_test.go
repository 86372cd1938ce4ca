package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestRequestIsSentByteForByte(t *testing.T) {
	want := `{"messages":[{"role":"user","content":"explain <b> & go"}],"agentId":"` + agentID + `"}`
	got, err := question.Encode()
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	got, err = Request{Messages: []Message{{RoleUser, "a"}, {RoleAssistant, "b\n"}}}.Encode()
	if err != nil || string(got) != `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b\n"}]}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := (Request{Messages: []Message{{RoleUser, "a\xff"}}}).Encode(); err == nil {
		t.Error("invalid UTF-8 was encoded")
	}
}

func TestChat(t *testing.T) {
	want, _ := question.Encode()
	tokens := 0
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != string(want) || r.Method != http.MethodPost || r.URL.RequestURI() != "/agents/api/v1/chat" {
			t.Errorf("got %s %s %s", r.Method, r.URL, body)
		}
		header := r.Header.Clone()
		header.Del("Accept-Encoding")
		if want := (http.Header{
			"Accept": {"application/json"}, "Authorization": {"Bearer " + canary}, "Content-Type": {"application/json"},
			"User-Agent": {"hobnob/1 (linux; amd64)"}, "Content-Length": {r.Header.Get("Content-Length")},
		}); !reflect.DeepEqual(header, want) {
			t.Errorf("got the headers %v", header)
		}
		answerWith(http.StatusOK, "application/json", validReply)(w, r)
	})
	o.BaseURL += "/agents/"
	o.UserAgent = "hobnob/1 (linux; amd64)"
	o.Token = token(&tokens)
	reply, err := newClient(t, o).Chat(t.Context(), question, "an-id")
	if err != nil || reply.Text != "hi" || reply.Attempts != 1 || tokens != 1 {
		t.Errorf("got %+v, %v, asked for the token %d times", reply, err, tokens)
	}
}

func TestIdempotencyKeyIsSentOnlyIfHonoured(t *testing.T) {
	for _, honours := range []bool{false, true} {
		o := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Idempotency-Key"); (got == "an-id") != honours {
				t.Errorf("honours %t: got the key %q", honours, got)
			}
			if got := r.Header.Values("Authorization"); got != nil {
				t.Errorf("got Authorization %q without a token", got)
			}
			answerWith(http.StatusOK, "application/json", validReply)(w, r)
		})
		o.IdempotencyKeys = honours
		if _, err := newClient(t, o).Chat(t.Context(), question, "an-id"); err != nil {
			t.Error(err)
		}
	}
}

func TestInvalidRequestIsNotSent(t *testing.T) {
	user := func(text string) []Message { return []Message{{RoleUser, text}} }
	for name, tc := range map[string]struct {
		request Request
		id      string
		want    string
	}{
		"no message":       {Request{}, "", "no message"},
		"a role":           {Request{Messages: []Message{{"system", "x"}}}, "", `the role "system"`},
		"a large prompt":   {Request{Messages: user(strings.Repeat("x", MaxPrompt+1))}, "", "limit of 10 MiB"},
		"an agent's name":  {Request{Messages: user("x"), AgentID: "reviewer"}, "", "not a UUID"},
		"a UUID in braces": {Request{Messages: user("x"), AgentID: "{" + agentID + "}"}, "", "not a UUID"},
		"invalid UTF-8":    {Request{Messages: user("\xff")}, "", "messages[0] is not valid UTF-8"},
		"a line in the id": {Request{Messages: user("x")}, "a\nb", "does not fit"},
	} {
		tokens := 0
		c := newClient(t, Options{Token: token(&tokens), Transport: transportFunc(func(*http.Request) (*http.Response, error) {
			t.Errorf("%s was sent", name)
			return nil, io.EOF
		})})
		_, err := c.Chat(t.Context(), tc.request, tc.id)
		var config *ConfigError
		if !errors.As(err, &config) || tokens != 0 {
			t.Errorf("%s: got %v, asked for the token %d times", name, err, tokens)
			continue
		}
		wantText(t, err.Error(), tc.want)
	}
}

func TestNewChecksOptions(t *testing.T) {
	for setting, o := range map[string]Options{
		"base_url":           {BaseURL: "ftp://host"},
		"ca_file":            {BaseURL: "https://host", CAFile: t.TempDir() + "/missing.pem"},
		"conversations_path": {BaseURL: "https://host", ConversationsPath: "/a/../b"},
		"timeout":            {BaseURL: "https://host", Timeout: -1},
	} {
		_, err := New(o)
		var config *ConfigError
		if !errors.As(err, &config) || config.Setting != setting {
			t.Errorf("%s: got %v", setting, err)
		}
	}
	for _, path := range []string{"https://evil.example/x", "/a?b", "/a#b", "/%zz"} {
		if _, err := New(Options{BaseURL: "https://host", ConversationsPath: path}); err == nil {
			t.Errorf("the listing's path %s was accepted", path)
		}
	}
}

func TestInvalidTokenIsNotShown(t *testing.T) {
	for _, bad := range []string{canary + "\n", canary + " x", "ä" + canary, canary + "\x00", strings.Repeat(canary, 2000)} {
		c := newClient(t, Options{
			Token: func(context.Context) (Token, error) { return Token{Secret: bad}, nil },
			Transport: transportFunc(func(*http.Request) (*http.Response, error) {
				t.Error("a request was sent")
				return nil, io.EOF
			}),
		})
		_, err := c.Chat(t.Context(), question, "")
		wantError(t, err, failure.Auth, false)
	}
}

func TestTokenErrorIsReturnedUnchanged(t *testing.T) {
	locked := errors.New("the keyring is locked")
	c := newClient(t, Options{Token: func(context.Context) (Token, error) { return Token{}, locked }})
	if _, err := c.Chat(t.Context(), question, ""); err != locked { //nolint:errorlint // the very same error is promised
		t.Errorf("got %v", err)
	}
}

func TestPreviewSendsNothing(t *testing.T) {
	tokens := 0
	c := newClient(t, Options{
		BaseURL: "https://host/agents", UserAgent: "hobnob/1", IdempotencyKeys: true, Token: token(&tokens),
		Transport: transportFunc(func(*http.Request) (*http.Response, error) {
			t.Error("a request was sent")
			return nil, io.EOF
		}),
	})
	p, err := c.Preview(question)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := question.Encode()
	want := Preview{Method: "POST", URL: "https://host/agents/api/v1/chat", Body: body, Headers: [][2]string{
		{"Accept", "application/json"}, {"Authorization", "Bearer ***"}, {"Content-Type", "application/json"},
		{"Idempotency-Key", "<id>"}, {"User-Agent", "hobnob/1"},
	}}
	if !reflect.DeepEqual(p, want) || tokens != 0 {
		t.Errorf("got %+v, asked for the token %d times", p, tokens)
	}
	p, err = newClient(t, Options{}).Preview(question)
	if err != nil || len(p.Headers) != 3 {
		t.Errorf("got %v, %v", p.Headers, err)
	}
}

func TestLogMasksSecrets(t *testing.T) {
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		answerWith(http.StatusOK, "application/json", validReply, "Set-Cookie", "sid=hunter2", "X-Echo", "t="+canary,
			"X-Coded", "canary%2F7f3a%2btoken%3d=", "X-Escape", "a\u009b31mb")(w, r)
	})
	var lines []string
	o.Log = func(line string) { lines = append(lines, line) }
	o.Token = token(nil)
	if _, err := newClient(t, o).Chat(t.Context(), question, ""); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"> POST /api/v1/chat HTTP/1.1",
		"> Accept: application/json",
		"> Authorization: Bearer ***",
		"> Content-Type: application/json",
		"> Host: " + strings.TrimPrefix(o.BaseURL, "http://"),
		"> User-Agent: hobnob",
		"< 200 OK",
		"< Content-Length: 257",
		"< Content-Type: application/json",
		"< Set-Cookie: ***",
		"< X-Coded: ***",
		"< X-Echo: t=***",
		"< X-Escape: a 31mb",
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
