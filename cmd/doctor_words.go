package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
)

// networkFix is what to do about a cause; the same words serve doctor, login
// and the hint of a question that was not sent.
func networkFix(cause api.Cause) string {
	switch cause {
	case api.CauseNoHost:
		return "check the host name in the base URL, and that this machine is online; a private name may need its VPN"
	case api.CauseResolver:
		return "check the network: the name server gives no answer"
	case api.CauseRefused:
		return "check the host and the port in the base URL, and that the service runs"
	case api.CauseUnreachable:
		return "check the network"
	case api.CauseTimeout:
		return "check the network, the firewall, and whether this network needs a proxy (HTTPS_PROXY)"
	case api.CauseProxyAddress:
		return "set HTTPS_PROXY like http://proxy.example.com:3128, or unset it"
	case api.CauseProxyLogin:
		return "give the proxy a user name and a password: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"
	case api.CauseProxy:
		return "check HTTPS_PROXY; whoever runs the proxy has to allow this host, or NO_PROXY has to name it"
	case api.CauseExpired:
		return "the owner of the service has to renew the certificate; check the clock of this machine, too"
	case api.CauseNotYetValid:
		return "set the clock of this machine"
	case api.CauseWrongName:
		return "use a base URL with a name that is in the certificate"
	case api.CauseAuthority:
		return "if the certificate comes from an authority of your own, name its PEM file: hobnob config set ca_file FILE" + ofProfile
	case api.CauseNotTLS:
		return "check the port in the base URL; a service on this machine may need http:// instead of https://"
	case api.CauseCertificate, api.CauseTLS:
		return "the owner of the service has to mend its TLS; a proxy that reads along may be the cause, too"
	}
	return "check the network and the address"
}

// blocked says at which point the way to a service ends, and what to do.
func blocked(r api.Route, now time.Time) (what, fix string) {
	fix = networkFix(r.Cause)
	host, toProxy := r.Host, r.Proxy != "" && (r.Failed == api.StageResolve || r.Failed == api.StageConnect)
	if toProxy {
		host = "the proxy " + strings.TrimPrefix(r.Proxy, "http://")
		fix = "correct HTTPS_PROXY, or name the service in NO_PROXY; " + fix
		fix = strings.NewReplacer("base URL", "address of the proxy", "the service runs", "the proxy runs").Replace(fix)
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
			return fmt.Sprintf("the name server gave no answer about %s: %v", host, r.Err), networkFix(api.CauseResolver)
		case api.StageProxy:
			return fmt.Sprintf("%s: %v", r.Proxy, r.Err), networkFix(api.CauseProxy)
		case api.StageTLS:
			return fmt.Sprintf("%s takes the connection and begins no TLS: %v", r.Base.Host, r.Err), networkFix(api.CauseNotTLS) + "; " + fix
		case api.StageAnswer:
			return fmt.Sprintf("%s takes the connection and does not answer: %v", r.Base.Host, r.Err), "the owner of the service has to look; " + fix
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
