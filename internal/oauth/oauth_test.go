package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// direct calls a handler without a network, so that synctest controls the time.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

func clientOf(handler http.HandlerFunc) Client { return Client{Transport: direct{handler}} }

const (
	issuerURL = "https://login.example.com"
	document  = `{"issuer":"https://login.example.com","device_authorization_endpoint":"https://login.example.com/device","token_endpoint":"https://tokens.example.com/token","revocation_endpoint":"https://login.example.com/revoke","scopes_supported":["openid","offline_access","profile"]}`
)

func TestDiscover(t *testing.T) {
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://user:password@evil.example/", http.StatusFound)
	}
	for name, tt := range map[string]struct {
		issuer string
		paths  map[string]string // bodies
		other  http.HandlerFunc
		err    string // "" if it is found
	}{
		"OAuth server":         {issuerURL, map[string]string{"/.well-known/oauth-authorization-server": document}, nil, ""},
		"OpenID provider":      {issuerURL, map[string]string{"/.well-known/openid-configuration": document}, nil, ""},
		"slash":                {issuerURL + "/", map[string]string{"/.well-known/openid-configuration": document}, nil, ""},
		"address of document":  {issuerURL + "/.well-known/openid-configuration", map[string]string{"/.well-known/openid-configuration": document}, nil, ""},
		"second document":      {issuerURL, map[string]string{"/.well-known/oauth-authorization-server": `{"issuer":"https://login.example.com"}`, "/.well-known/openid-configuration": document}, nil, ""},
		"web pages":            {issuerURL, nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "no OAuth metadata was found"},
		"other issuer":         {issuerURL, map[string]string{"/.well-known/openid-configuration": strings.ReplaceAll(document, `"issuer":"https://login`, `"issuer":"https://evil`)}, nil, `another issuer: "https://evil.example.com"`},
		"no device login":      {issuerURL, map[string]string{"/.well-known/openid-configuration": `{"issuer":"https://login.example.com","token_endpoint":"https://login.example.com/t"}`}, nil, "does not support login with a code"},
		"token without TLS":    {issuerURL, map[string]string{"/.well-known/openid-configuration": strings.ReplaceAll(document, "https://tokens", "http://tokens")}, nil, "token endpoint does not begin with https://"},
		"token on loopback":    {issuerURL, map[string]string{"/.well-known/openid-configuration": strings.ReplaceAll(document, "https://tokens.example.com", "http://127.0.0.1:80")}, nil, "token endpoint does not begin with https://"},
		"endpoint with user":   {issuerURL, map[string]string{"/.well-known/openid-configuration": strings.ReplaceAll(document, "https://tokens", "https://user@tokens")}, nil, "token endpoint is invalid"},
		"redirect":             {issuerURL, nil, redirect, "it redirects to https://user:xxxxx@evil.example/"},
		"endless":              {issuerURL, nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, maxBody+1)) }, "larger than 256 KiB"},
		"issuer without TLS":   {"http://login.example.com", nil, nil, "must begin with https://"},
		"issuer with a query":  {issuerURL + "?x", nil, nil, "must be an address"},
		"issuer with a user":   {"https://user:password@login.example.com", nil, nil, "must be an address"},
		"issuer without a URL": {"login.example.com", nil, nil, "must be an address"},
	} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(func(w http.ResponseWriter, r *http.Request) {
				switch body, ok := tt.paths[r.URL.Path]; {
				case ok:
					_, _ = io.WriteString(w, body)
				case tt.other != nil:
					tt.other(w, r)
				default:
					http.NotFound(w, r)
				}
			})
			p, err := c.Discover(t.Context(), tt.issuer)
			if tt.err == "" {
				want := Provider{issuerURL, "https://login.example.com/device", "https://tokens.example.com/token", "https://login.example.com/revoke", p.scopes}
				if err != nil || p.Issuer != want.Issuer || p.DeviceURL != want.DeviceURL || p.TokenURL != want.TokenURL || p.RevocationURL != want.RevocationURL {
					t.Errorf("%+v, %v", p, err)
				}
				if got := fmt.Sprint(p.DefaultScopes()); got != "[openid offline_access]" {
					t.Errorf("default scopes %s", got)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "password") {
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
		})
	}
}

// The path of an issuer comes after the name of an OAuth document, and before that of an
// OpenID document (RFC 8414 §3.1, §5).
func TestDiscoverWithPath(t *testing.T) {
	var asked []string
	c := clientOf(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		http.NotFound(w, r)
	})
	_, err := c.Discover(t.Context(), issuerURL+"/realms/chat/")
	if got := strings.Join(asked, " "); err == nil || got != "/.well-known/oauth-authorization-server/realms/chat /realms/chat/.well-known/openid-configuration" {
		t.Errorf("asked for %s: %v", got, err)
	}
}

// device returns a login whose token endpoint answers with the results in order, and the
// times of the requests since the start.
func device(t *testing.T, interval int, results ...string) (Client, Device, *[]time.Duration) {
	t.Helper()
	asked, started := new([]time.Duration), time.Now()
	c := clientOf(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/device" {
			_, _ = fmt.Fprintf(w, `{"device_code":"secret-device-code","user_code":"AB-12","verification_uri":"https://login.example.com/go","expires_in":600,"interval":%d}`, interval)
			return
		}
		*asked = append(*asked, time.Since(started))
		result := results[min(len(*asked), len(results))-1]
		if status, err := fmt.Sscanf(result, "status %d", new(int)); status == 1 && err == nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasPrefix(result, "{") {
			w.WriteHeader(http.StatusBadRequest)
			result = `{"error":"` + result + `","error_description":"about secret-device-code"}`
		}
		_, _ = io.WriteString(w, result)
	})
	d, err := c.Begin(t.Context(), Provider{Issuer: issuerURL, DeviceURL: issuerURL + "/device", TokenURL: issuerURL + "/token"}, Request{ClientID: "id", Scopes: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	return c, d, asked
}

const granted = `{"access_token":"A","refresh_token":"R","token_type":"bearer","expires_in":3600}`

func TestAwaitKeepsInterval(t *testing.T) {
	for name, tt := range map[string]struct {
		interval int
		results  []string
		asked    string // times
		err      string
	}{
		"as asked":         {2, []string{"authorization_pending", granted}, "[2s 4s]", ""},
		"default":          {0, []string{"authorization_pending", granted}, "[5s 10s]", ""},
		"negative":         {-7, []string{granted}, "[5s]", ""},
		"endless":          {1 << 40, []string{granted}, "[2m0s]", ""},
		"slow down":        {2, []string{"slow_down", "slow_down", granted}, "[2s 9s 21s]", ""},
		"unavailable":      {2, []string{"status 502", "status 502", granted}, "[2s 6s 14s]", ""},
		"denied":           {2, []string{"access_denied"}, "[2s]", "the login was denied"},
		"expired":          {2, []string{"expired_token"}, "[2s]", "the code has expired"},
		"never approved":   {110, []string{"authorization_pending"}, "[1m50s 3m40s 5m30s 7m20s 9m10s]", "the code has expired"},
		"other error":      {2, []string{"invalid_request"}, "[2s]", "refused the request: invalid_request: about ***"},
		"other token type": {2, []string{`{"access_token":"A","token_type":"mac"}`}, "[2s]", `unsupported type "MAC"`},
		"no token":         {2, []string{`{}`}, "[2s]", "not in the format"},
		"control in token": {2, []string{`{"access_token":"A\n"}`}, "[2s]", "not visible ASCII"},
		"huge token":       {2, []string{`{"access_token":"` + strings.Repeat("A", maxToken+1) + `"}`}, "[2s]", "more than 8 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, d, asked := device(t, tt.interval, tt.results...)
				g, err := c.Await(t.Context(), d)
				if got := fmt.Sprint(*asked); got != tt.asked {
					t.Errorf("asked at %s, want %s", got, tt.asked)
				}
				switch {
				case tt.err != "":
					if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "secret") {
						t.Errorf("error %v, want one with %q", err, tt.err)
					}
				case err != nil:
					t.Error(err)
				case g.AccessToken != "A" || g.RefreshToken != "R" || g.Scope != "a b" || g.Expiry.Sub(g.Obtained).Round(time.Second) != time.Hour:
					t.Errorf("%#v", struct{ a, r, s string }{g.AccessToken, g.RefreshToken, g.Scope})
				}
			})
		})
	}
}

func TestAwaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, d, _ := device(t, 5, "authorization_pending")
		cause := errors.New("Ctrl-C")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(12*time.Second, func() { cancel(cause) })
		if _, err := c.Await(ctx, d); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestBeginRefusesHostileAnswers(t *testing.T) {
	for answer, want := range map[string]string{
		`{"device_code":"d","user_code":"A","verification_uri":"javascript:alert(1)"}`:                                            "address for the code",
		`{"device_code":"d","user_code":"A","verification_uri":"http://login.example.com/"}`:                                      "does not begin with https://",
		`{"device_code":"d","user_code":"A","verification_uri":"https://login.example.com\u001b[2J/"}`:                            "address for the code is invalid",
		`{"device_code":"d","user_code":" ","verification_uri":"https://login.example.com/"}`:                                     "no valid code",
		`{"device_code":"d","user_code":"` + strings.Repeat("A", 65) + `","verification_uri":"https://x.example/"}`:               "no valid code",
		`{"device_code":"d","user_code":"A","verification_uri":"https://login.example.com/` + strings.Repeat("a", maxPage) + `"}`: "address for the code is invalid",
		`{"device_code":"d","user_code":"A","verification_uri":"https://login.еxample.com/"}`:                                     "address for the code is invalid",
		`{"device_code":"d","user_code":"A \u001b]0;b\u0007","verification_uri":"https://login.example.com/"}`:                    "no valid code",
		`{"user_code":"A","verification_uri":"https://login.example.com/"}`:                                                       "no valid code",
		`[]`:                           "not in the format",
		`{"expires_in":"\u001b"}`:      "not in the format",
		strings.Repeat(" ", maxBody+1): "larger than 256 KiB",
	} {
		c := clientOf(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
		_, err := c.Begin(t.Context(), Provider{Issuer: issuerURL, DeviceURL: issuerURL + "/device"}, Request{ClientID: "id"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%.80s: %v, want %q", answer, err, want)
		}
	}
}

// allow_insecure_http of a profile applies to an issuer with http:// and its endpoints.
func TestInsecureIssuer(t *testing.T) {
	for _, tt := range []struct {
		issuer, endpoints string
		allowed, ok       bool
	}{
		{"http://login.example.com", "http://login.example.com", true, true},
		{"http://login.example.com", "http://login.example.com", false, false},
		{"https://login.example.com", "http://login.example.com", true, false},
		{"http://127.0.0.1", "http://127.0.0.1", false, true},
		{"http://127.0.0.1", "http://login.example.com", false, false},
	} {
		c := clientOf(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"issuer":%q,"device_authorization_endpoint":"%s/d","token_endpoint":"%s/t"}`, tt.issuer, tt.endpoints, tt.endpoints)
		})
		c.AllowInsecureHTTP = tt.allowed
		if _, err := c.Discover(t.Context(), tt.issuer); err == nil != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
		g := Grant{Issuer: tt.issuer, TokenURL: tt.endpoints + "/t", AccessToken: "A"}
		if err := g.Check(tt.allowed); err == nil != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

var stored = Grant{Issuer: issuerURL, TokenURL: issuerURL + "/token", RevocationURL: issuerURL + "/revoke", ClientID: "id", AccessToken: "old-access", RefreshToken: "old-refresh"}

func TestRefresh(t *testing.T) {
	for name, tt := range map[string]struct {
		status  int
		body    string
		refresh string // the new refresh token
		err     string
		kind    failure.Kind
	}{
		"rotated":       {200, granted, "R", "", 0},
		"not rotated":   {200, `{"access_token":"A"}`, "old-refresh", "", 0},
		"revoked":       {400, `{"error":"invalid_grant","error_description":"old-refresh is gone"}`, "", "no longer accepts this login: *** is gone", failure.Auth},
		"other client":  {401, `{"error":"invalid_client"}`, "", "does not know this client", failure.Auth},
		"unavailable":   {503, `<html>`, "", "answered 503 Service Unavailable", failure.NotSent},
		"redirect":      {307, ``, "", "answered 307 Temporary Redirect", failure.Auth},
		"not a token":   {200, `<html>old-refresh`, "", "not in the format of RFC 6749", failure.Auth},
		"endless":       {200, strings.Repeat(" ", maxBody+1), "", "larger than 256 KiB", failure.Auth},
		"error in 200":  {200, `{"error":"invalid_grant"}`, "", "no longer accepts this login", failure.Auth},
		"other control": {400, `{"error":"x` + strings.Repeat("y", 400) + `"}`, "", "refused the request: xyyy", failure.Auth},
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			c := clientOf(func(w http.ResponseWriter, r *http.Request) {
				sent++
				if r.ParseForm() != nil || r.PostForm.Encode() != "client_id=id&grant_type=refresh_token&refresh_token=old-refresh" || r.Header.Get("Authorization") != "" {
					t.Errorf("%s", r.PostForm.Encode())
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Location", issuerURL+"/elsewhere")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			fresh, err := c.Refresh(t.Context(), stored)
			if sent != 1 {
				t.Errorf("%d requests", sent)
			}
			if tt.err == "" {
				if err != nil || fresh.AccessToken != "A" || fresh.RefreshToken != tt.refresh || fresh.TokenURL != stored.TokenURL {
					t.Errorf("%s, %v", fresh.RefreshToken, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "old-refresh") || failure.Of(err).Kind != tt.kind || len(err.Error()) > 500 {
				t.Errorf("error %v of kind %v, want %q", err, failure.Of(err).Kind, tt.err)
			}
		})
	}
}

func TestRevoke(t *testing.T) {
	var form url.Values
	status := http.StatusOK
	c := clientOf(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		form = r.PostForm
		w.WriteHeader(status)
	})
	if revoked, err := c.Revoke(t.Context(), stored); !revoked || err != nil || form.Encode() != "client_id=id&token=old-refresh&token_type_hint=refresh_token" {
		t.Errorf("%v, %v, %s", revoked, err, form.Encode())
	}
	status = http.StatusServiceUnavailable
	if revoked, err := c.Revoke(t.Context(), stored); revoked || err == nil {
		t.Errorf("%v, %v", revoked, err)
	}
	other := stored
	other.RevocationURL = ""
	if revoked, err := c.Revoke(t.Context(), other); revoked || err != nil {
		t.Errorf("%v, %v", revoked, err)
	}
}

func TestDue(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for lifetime, want := range map[time.Duration]time.Duration{
		time.Hour: 59 * time.Minute, 10 * time.Minute: 9 * time.Minute, 10 * time.Second: 9 * time.Second, -time.Second: -time.Second,
	} {
		g := Grant{Obtained: start, Expiry: start.Add(lifetime)}
		if got := g.Due().Sub(start); got != want || g.IsDue(start.Add(want-1)) || !g.IsDue(start.Add(want)) || g.Expired(start.Add(lifetime-1)) || !g.Expired(start.Add(lifetime)) {
			t.Errorf("due %v after a token of %v, want %v", got, lifetime, want)
		}
	}
	if g := (Grant{Obtained: start}); !g.Due().IsZero() || g.IsDue(start.AddDate(9, 0, 0)) || g.Expired(start.AddDate(9, 0, 0)) {
		t.Error("a token that never expires is due")
	}
}

func TestGrantIsNeverPrinted(t *testing.T) {
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		for _, value := range []any{stored, &stored, []Grant{stored}, struct{ G Grant }{stored}} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, "old-") || strings.Contains(text, "6f6c642d") {
				t.Errorf("%s: %s", verb, text)
			}
		}
	}
}

// FuzzDiscover checks that no document leads to an address without TLS.
func FuzzDiscover(f *testing.F) {
	for _, seed := range []string{document, `{}`, `{"issuer":"https://login.example.com","device_authorization_endpoint":"http://x","token_endpoint":"https://\u0000"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c := clientOf(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		p, err := c.Discover(t.Context(), issuerURL)
		if err != nil {
			return
		}
		for _, address := range []string{p.Issuer, p.DeviceURL, p.TokenURL, p.RevocationURL} {
			if u, err := url.Parse(address); err != nil || address != "" && (u.Scheme != "https" || u.Host == "") {
				t.Errorf("%q is used", address)
			}
		}
	})
}
