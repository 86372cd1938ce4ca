package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// blocked says at which point the way to a service ends, and what to do.
func blocked(r api.Route, now time.Time) (what string, fix failure.Hint) {
	fix = r.Cause.Fix()
	host, toProxy := r.Host, r.Proxy != "" && (r.Failed == api.StageResolve || r.Failed == api.StageConnect)
	if toProxy {
		host = "the proxy " + strings.TrimPrefix(r.Proxy, "http://")
		fix = failure.Hintf("correct HTTPS_PROXY, or name the service in NO_PROXY; %s", r.Cause.ProxyFix())
	} else if r.Failed == api.StageConnect {
		host = r.Base.Host
	}
	switch r.Cause {
	case api.CauseNoHost:
		return fmt.Sprintf("%s is no known name", host), fix
	case api.CauseRefused:
		return fmt.Sprintf("nothing listens at %s: connection refused", host), fix
	case api.CauseExpired:
		if c := r.Certificate; c != nil {
			return fmt.Sprintf("the certificate of %s ended on %s (now it is %s)", r.Base.Hostname(), day(c.NotAfter), day(now)), fix
		}
	case api.CauseNotYetValid:
		if c := r.Certificate; c != nil {
			return fmt.Sprintf("the certificate of %s begins on %s (now it is %s)", r.Base.Hostname(), day(c.NotBefore), day(now)), fix
		}
	case api.CauseWrongName:
		if c := r.Certificate; c != nil {
			return fmt.Sprintf("the certificate is for %s, not for %s", certificateNames(c.DNSNames), r.Base.Hostname()), fix
		}
	case api.CauseAuthority:
		return fmt.Sprintf("the certificate of %s comes from an authority that this machine does not know", r.Base.Hostname()), fix
	case api.CauseNotTLS:
		return fmt.Sprintf("%s speaks no TLS there", r.Base.Host), fix
	case api.CauseProxyLogin:
		return fmt.Sprintf("%s wants a user name and a password (407)", r.Proxy), fix
	case api.CauseTimeout:
		switch r.Failed {
		case api.StageResolve:
			return fmt.Sprintf("the name server gave no answer about %s: %v", host, r.Err), api.CauseResolver.Fix()
		case api.StageProxy:
			return fmt.Sprintf("%s: %v", r.Proxy, r.Err), api.CauseProxy.Fix()
		case api.StageTLS:
			return fmt.Sprintf("%s takes the connection and begins no TLS: %v", r.Base.Host, r.Err), failure.Hintf("%s; %s", api.CauseNotTLS.Fix(), fix)
		case api.StageAnswer:
			return fmt.Sprintf("%s takes the connection and does not answer: %v", r.Base.Host, r.Err), failure.Hintf("the owner of the service has to look; %s", fix)
		}
		return fmt.Sprintf("%s: %v", host, r.Err), fix
	}
	return fmt.Sprintf("%s: %v", host, r.Err), fix
}

// certificateNames shows a few names; who made the certificate chose them.
func certificateNames(names []string) string {
	const most, longest = 3, 80
	if len(names) == 0 {
		return "another name"
	}
	more := ""
	if len(names) > most {
		names, more = names[:most], " and others"
	}
	text := []rune(strings.Join(names, ", "))
	if len(text) > longest {
		text, more = text[:longest], "…"
	}
	return string(text) + more
}

// isWebPage holds for an answer that comes from a web site and no API.
func isWebPage(r api.Route) bool {
	return r.Status/100 == 2 && r.MediaType == "text/html"
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func milliseconds(d time.Duration) string {
	return config.Format(max(d, time.Millisecond).Round(time.Millisecond))
}
