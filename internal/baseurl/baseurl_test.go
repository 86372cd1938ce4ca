package baseurl

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestParseReturnsCanonicalForm(t *testing.T) {
	for raw, want := range map[string]string{
		"https://chat.example.com":               "https://chat.example.com",
		"  https://chat.example.com/ \n":         "https://chat.example.com",
		"HTTPS://Chat.Example.COM:443/":          "https://chat.example.com",
		"https://chat.example.com:8443":          "https://chat.example.com:8443",
		"https://chat.example.com:08443":         "https://chat.example.com:8443",
		"https://chat.example.com:":              "https://chat.example.com",
		"https://host/agents":                    "https://host/agents",
		"https://host/agents//":                  "https://host/agents",
		"https://host/api/v1":                    "https://host",
		"https://host/agents/api/v1/":            "https://host/agents",
		"https://host/api/v1/api/v1":             "https://host",
		"https://host/myapi/v1":                  "https://host/myapi/v1",
		"https://host/a%2Fb":                     "https://host/a%2Fb",
		"https://host/Ä":                         "https://host/%C3%84",
		"https://host/@team":                     "https://host/@team",
		"https://bücher.example":                 "https://xn--bcher-kva.example",
		"https://my_service":                     "https://my_service",
		"http://127.0.0.1:8080":                  "http://127.0.0.1:8080",
		"http://127.9.9.9:80":                    "http://127.9.9.9",
		"http://[::1]:8080/x":                    "http://[::1]:8080/x",
		"http://[0:0:0:0:0:0:0:1]":               "http://[::1]",
		"http://LOCALHOST:8080":                  "http://localhost:8080",
		"https://[2001:DB8::1]":                  "https://[2001:db8::1]",
		"https://[::ffff:127.0.0.1]/agents/v1/ ": "https://[::ffff:127.0.0.1]/agents/v1",
	} {
		u, err := Parse(raw, false)
		if err != nil || u.String() != want {
			t.Errorf("Parse(%q) = %v, %v, want %s", raw, u, err, want)
		}
	}
}

func TestParseRefusesWithReason(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                      "is empty",
		" ":                                     "is empty",
		"chat.example.com":                      "did you mean https://chat.example.com?",
		"chat.example.com:8443/x":               "did you mean https://chat.example.com:8443/x?",
		"localhost:8080":                        "did you mean http://localhost:8080?",
		"127.0.0.1":                             "did you mean http://127.0.0.1?",
		"https:/host":                           "must be https://",
		"mailto:hunter2@host":                   "must be https://",
		"ftp://host":                            "must begin with https://, not ftp://",
		"http://chat.example.com":               "clear text",
		"http://127.0.0.1.example.com":          "clear text",
		"http://127.1":                          "clear text",
		"http://localhost.example.com":          "clear text",
		"https://user:hunter2@host":             "no user name",
		"https://hunter2@host":                  "no user name",
		"https://@host":                         "no user name",
		"https://user:hunter2%zz@host":          "no user name",
		"https://user:hunter2@ho st":            "no user name",
		"https://user:hunter2":                  "is invalid",
		"https://host?token=hunter2":            "no query",
		"https://host?":                         "no query",
		"https://host#hunter2":                  "no fragment",
		"https://":                              "host is missing",
		"https:///path":                         "host is missing",
		"https://:443":                          "host is missing",
		"https://host:0":                        "port",
		"https://host:65536":                    "port",
		"https://host:8x":                       "is invalid",
		"https://host/a/../b":                   "no . and no ..",
		"https://host/%2e%2e/b":                 "no . and no ..",
		"https://ho;st":                         "not a valid name",
		"https://-host":                         "not a valid name",
		"https://[fe80::1%25eth0]":              "zone",
		"https://[::1":                          "is invalid",
		"https://host\x00":                      "is invalid",
		"https://host\\@good":                   "no user name",
		"https://\u202ehost":                    "internationalised",
		"https://host/" + "\x1b]0;" + "/api/v1": "is invalid",
	} {
		u, err := Parse(raw, false)
		var refusal *Error
		if !errors.As(err, &refusal) {
			t.Errorf("Parse(%q) = %v, %v, want an *Error", raw, u, err)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %q, want %q in it", raw, err, want)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
}

func TestParseAcceptsInsecureHTTPWhenAllowed(t *testing.T) {
	u, err := Parse("http://chat.example.com:80/x/", true)
	if err != nil || u.String() != "http://chat.example.com/x" {
		t.Errorf("got %v, %v", u, err)
	}
}

func TestOriginIsEqualForSameService(t *testing.T) {
	for raw, want := range map[string]string{
		"https://Chat.example.com/a?b#c":   "https://chat.example.com",
		"https://chat.example.com:443":     "https://chat.example.com",
		"http://chat.example.com:443":      "http://chat.example.com:443",
		"HTTP://chat.example.com:80/":      "http://chat.example.com",
		"https://user:pw@chat.example.com": "https://chat.example.com",
		"https://[0::1]:443":               "https://[::1]",
		"https://bad;host:1":               "https://bad;host:1",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := Origin(u); got != want {
			t.Errorf("Origin(%s) = %s, want %s", raw, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"https://chat.example.com/agents/api/v1/", "http://localhost:8080", "http://[::1]:80//", "user:pw@host",
		"https://user:pw@host", "https://host?q", "https://bücher.example:0443/%2F", "http://127.0.0.1.example",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, raw string, insecure bool) {
		u, err := Parse(raw, insecure)
		if err != nil {
			return
		}
		if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Hostname() == "" {
			t.Errorf("%q was accepted as %#v", raw, u)
		}
		if u.Scheme != "https" && (u.Scheme != "http" || !insecure && !IsLoopback(u.Hostname())) {
			t.Errorf("%q was accepted in clear text as %s", raw, u)
		}
		if strings.HasSuffix(u.EscapedPath(), "/") || strings.HasSuffix(u.EscapedPath(), Prefix) {
			t.Errorf("%q keeps its end in %s", raw, u)
		}
		again, err := Parse(u.String(), insecure)
		if err != nil || again.String() != u.String() {
			t.Errorf("%q became %s and then %v, %v", raw, u, again, err)
		}
		if origin := Origin(u); origin != u.Scheme+"://"+u.Host {
			t.Errorf("%q has the host %s and the origin %s", raw, u.Host, origin)
		}
	})
}
