package api

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestErrorTextInAllForms(t *testing.T) {
	for _, tc := range []struct{ contentType, body, want string }{
		{"application/json", `{"error":{"code":"x","message":"no agent"}}`, "no agent"},
		{"application/json", `{"error":"no agent","message":"other"}`, "no agent"},
		{"application/json", `{"error":{"code":1},"message":" no agent "}`, "no agent"},
		{"application/json", `{"detail":"no agent","title":"Bad"}`, "no agent"},
		{"application/problem+json", `{"type":"about:blank","title":"Bad"}`, "Bad"},
		{"application/json", `{"detail":[{"loc":["body"],"msg":"field required"},{"msg":"too long"}]}`, "field required; too long"},
		{"application/json", `{"detail":[],"title":"Bad"}`, "Bad"},
		{"application/json", `{"code":7}`, `{"code":7}`},
		{"application/json", `{"message":`, `{"message":`},
		{"application/json", `["a"]`, `["a"]`},
		{"text/plain", " no\nagent \n", "no\nagent"},
		{"", "", ""},
		{"text/plain", "a\xffb", "a\uFFFDb"},
		{"text/html; charset=utf-8", "<html><head><title>\n 502  Bad\tGateway</title></head><body><h1>x</h1>", "502 Bad Gateway"},
		{"text/html", "<title> </title><h1>Not <b>here</b></h1><p>p", "Not here"},
		{"text/html", "<p>over<br>load &amp; &lt;more&gt;<script>evil()</script><style>p{}</style>", "over load & <more>"},
		{"text/plain", "\n<Error><Code>Denied</Code><Message>no</Message></Error>", "Denied no"},
		{"text/html", "just text", "just text"},
		{"text/html", "<script>only()</script>", "<script>only()</script>"},
		{"text/plain", "bearer " + canary + " is bad", "bearer *** is bad"},
		{"text/plain", "x=canary%2f7f3a%2Btoken%3D%3D&y", "x=***&y"},
		{"application/json", `{"message":"canary\/7f3a+token=="}`, "***"},
	} {
		if got := errorText(tc.contentType, []byte(tc.body), newMask(canary)); got != tc.want {
			t.Errorf("errorText(%q, %q) = %q, want %q", tc.contentType, tc.body, got, tc.want)
		}
	}
}

func TestErrorTextIsBounded(t *testing.T) {
	got := errorText("text/plain", []byte(strings.Repeat("ä", 5000)), mask{})
	if utf8.RuneCountInString(got) != maxMessage || !strings.HasSuffix(got, "ä…") {
		t.Errorf("got %d runes", utf8.RuneCountInString(got))
	}
}

func TestTruncatedErrorBodyContainsNoPartOfToken(t *testing.T) {
	padding := strings.Repeat(" ", MaxErrorBody-10)
	got := readErrorBody(strings.NewReader(padding+canary+padding), newMask(canary))
	if strings.Contains(string(got), "c") {
		t.Errorf("a part of the token is left: %q", strings.TrimSpace(string(got)))
	}
	if got := readErrorBody(strings.NewReader("short"), mask{}); string(got) != "short" {
		t.Errorf("got %q", got)
	}
}

func TestTokenWithStarsIsMasked(t *testing.T) {
	m := newMask("x***y")
	if got := m.text("-xx***yy-"); strings.Contains(got, "x***y") {
		t.Errorf("got %q", got)
	}
}

func TestStatusDecidesOutcome(t *testing.T) {
	for _, tc := range []struct {
		status int
		header string
		kind   failure.Kind
		maybe  bool
	}{
		{400, "", failure.Refused, false}, {401, "", failure.Auth, false}, {403, "", failure.Auth, false},
		{404, "", failure.Refused, false}, {413, "", failure.Refused, false}, {422, "", failure.Refused, false},
		{429, "", failure.Limited, false}, {429, "7", failure.Limited, false},
		{500, "", failure.Unknown, true}, {502, "", failure.Unknown, true}, {504, "7", failure.Unknown, true},
		{503, "", failure.Limited, true}, {503, "soon", failure.Limited, true}, {503, "7", failure.Limited, false},
		{300, "", failure.Refused, false}, {304, "", failure.Refused, false}, {307, "", failure.Refused, false},
		{599, "", failure.Unknown, true},
	} {
		o := serve(t, answerWith(tc.status, "application/json", `{"message":"why `+canary+`"}`, "Retry-After", tc.header))
		o.Token = token(nil)
		_, err := newClient(t, o).Chat(t.Context(), question, "")
		e := errorOf(t, err, tc.kind, tc.maybe)
		if e.Status != tc.status || e.Op != "POST "+o.BaseURL+"/api/v1/chat" {
			t.Errorf("got %d, %s", e.Status, e.Op)
		}
		if e.Message != "why ***" && tc.status != http.StatusNotModified {
			t.Errorf("%d: got the message %q", tc.status, e.Message)
		}
		if seconds := e.RetryAfter.Seconds(); tc.kind == failure.Limited && tc.header == "7" && seconds != 7 {
			t.Errorf("%d: got Retry-After %v", tc.status, seconds)
		}
	}
}

func FuzzErrorText(f *testing.F) {
	f.Add("application/json", []byte(`{"error":{"message":"a `+canary+`"}}`), canary)
	f.Add("text/html", []byte(`<title>canary%2F7f3a+token==</title>`), canary)
	f.Add("", []byte("x***y"), "x***y")
	f.Add("", []byte("<p>%2525%25"), "%25%")
	f.Add("", []byte("****"), "****")
	f.Fuzz(func(t *testing.T, contentType string, body []byte, secret string) {
		if !isVisibleASCII(secret) || len(secret) < minMasked || len(secret) > 100 {
			return
		}
		got := errorText(contentType, body, newMask(secret))
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxMessage {
			t.Errorf("got %d runes, valid %t", utf8.RuneCountInString(got), utf8.ValidString(got))
		}
		if strings.Contains(got, secret) {
			t.Errorf("%q shows the token %q", got, secret)
		}
	})
}
