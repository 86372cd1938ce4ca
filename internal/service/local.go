package service

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
)

// localOnly returns a handler that refuses requests from web pages: those with the
// name of another host that resolves to a loopback address (DNS rebinding), and those
// from another origin. It does not compare ports, because a tunnel may use another.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch origin := r.Header.Get("Origin"); {
		case !isLocalHost(r.Host):
			writeError(w, http.StatusMisdirectedRequest, "wrong_host", "the Host header must be localhost or a loopback address")
		case origin != "" && !strings.EqualFold(origin, "http://"+r.Host):
			writeError(w, http.StatusForbidden, "wrong_origin", "requests from other origins are refused")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isLocalHost reports whether a Host header can only refer to this machine. Browsers
// resolve localhost and its subdomains without a name server (RFC 6761, section 6.3).
func isLocalHost(header string) bool {
	u := url.URL{Host: header}
	host := strings.ToLower(u.Hostname())
	return baseurl.IsLoopback(host) || strings.HasSuffix(host, ".localhost")
}
