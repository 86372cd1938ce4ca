package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Reach goes the way to a service without a token and returns how far it came.
// limit bounds connecting, and the answer by itself, where o.Timeout is not
// shorter. The error is nil when the service answers with anything but a web page,
// an *api.ConfigError, the cause by which ctx ended, or says where the way ends.
func Reach(ctx context.Context, o api.Options, limit time.Duration) (api.Route, error) {
	o.Timeout = min(o.Timeout, limit)
	route, err := api.Probe(ctx, o)
	switch {
	case err != nil:
		return route, err
	case route.Failed != "":
		what, fix := describeEnd(route)
		return route, failure.New(failure.NotSent, fix, what)
	case route.Status/100 == 2 && route.MediaType == "text/html":
		return route, &webPageError{route}
	}
	return route, nil
}

// webPageError says that something answers which is no service.
type webPageError struct{ route api.Route }

func (e *webPageError) Error() string { return e.route.Base.String() + " answers with a web page" }

// Failure implements failure.Explainer.
func (e *webPageError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Broken, Status: e.route.Status, Hint: failure.Plain("give the address of its API, without the path of a page")}
}

// describeEnd says at which point the way to a service ends, and what to do.
func describeEnd(r api.Route) (what string, fix failure.Hint) {
	host, service, fix := r.Host, r.Base.Hostname(), r.Cause.Fix()
	switch {
	case r.Proxy != "" && (r.Failed == api.StageResolve || r.Failed == api.StageConnect):
		host = "the proxy " + strings.TrimPrefix(r.Proxy, "http://")
		fix = failure.Hintf("correct HTTPS_PROXY, or name the service in NO_PROXY; %s", r.Cause.ProxyFix())
	case r.Failed == api.StageConnect:
		host = r.Base.Host
	}
	what = fmt.Sprintf("%s: %v", host, r.Err)
	switch c := r.Certificate; {
	case r.Cause == api.CauseNoHost:
		what = host + " is no known name"
	case r.Cause == api.CauseRefused:
		what = "nothing listens at " + host + ": connection refused"
	case r.Cause == api.CauseExpired && c != nil:
		what = fmt.Sprintf("the certificate of %s ended on %s (now it is %s)", service, day(c.NotAfter), day(time.Now()))
	case r.Cause == api.CauseNotYetValid && c != nil:
		what = fmt.Sprintf("the certificate of %s begins on %s (now it is %s)", service, day(c.NotBefore), day(time.Now()))
	case r.Cause == api.CauseWrongName && c != nil:
		what = fmt.Sprintf("the certificate is for %s, not for %s", certificateNames(c.DNSNames), service)
	case r.Cause == api.CauseAuthority:
		what = "the certificate of " + service + " comes from an authority that this machine does not know"
	case r.Cause == api.CauseNotTLS:
		what = r.Base.Host + " speaks no TLS there"
	case r.Cause == api.CauseProxyLogin:
		what = r.Proxy + " wants a user name and a password (407)"
	case r.Cause != api.CauseTimeout:
	case r.Failed == api.StageResolve:
		what, fix = fmt.Sprintf("the name server gave no answer about %s: %v", host, r.Err), api.CauseResolver.Fix()
	case r.Failed == api.StageProxy:
		what, fix = fmt.Sprintf("%s: %v", r.Proxy, r.Err), api.CauseProxy.Fix()
	case r.Failed == api.StageTLS:
		what = fmt.Sprintf("%s takes the connection and begins no TLS: %v", r.Base.Host, r.Err)
		fix = failure.Hintf("%s; %s", api.CauseNotTLS.Fix(), fix)
	case r.Failed == api.StageAnswer:
		what = fmt.Sprintf("%s takes the connection and does not answer: %v", r.Base.Host, r.Err)
		fix = failure.Hintf("the owner of the service has to look; %s", fix)
	}
	return what, fix
}

// certificateNames returns a few of the names: whoever made the certificate chose
// how many there are and how long.
func certificateNames(names []string) string {
	const maxNames, maxRunes = 3, 80
	if len(names) == 0 {
		return "another name"
	}
	more := ""
	if len(names) > maxNames {
		names, more = names[:maxNames], " and others"
	}
	text := []rune(strings.Join(names, ", "))
	if len(text) > maxRunes {
		text, more = text[:maxRunes], "…"
	}
	return string(text) + more
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
