package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Reach connects to a service without a token and returns the stages it passed. limit
// applies to the connection and to the response separately, unless o.Timeout is
// shorter. The error is nil if the service responds with anything but a web page.
// Otherwise it is an *api.ConfigError, the cause of the end of ctx, or a description of
// the stage that failed.
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

// webPageError reports a web page instead of a service.
type webPageError struct{ route api.Route }

func (e *webPageError) Error() string { return e.route.Base.String() + " responds with a web page" }

// Failure implements failure.Explainer.
func (e *webPageError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Broken, Status: e.route.Status, Hint: failure.Plain("use the address of the API, without the path of a page")}
}

// describeEnd describes the stage that failed and its fix.
func describeEnd(r api.Route) (what string, fix failure.Hint) {
	host, service, fix := r.Host, r.Base.Hostname(), r.Cause.Fix()
	switch {
	case r.Proxy != "" && (r.Failed == api.StageResolve || r.Failed == api.StageConnect):
		host = "the proxy " + strings.TrimPrefix(r.Proxy, "http://")
		fix = failure.Hintf("correct HTTPS_PROXY, or add the service to NO_PROXY; %s", r.Cause.ProxyFix())
	case r.Failed == api.StageConnect:
		host = r.Base.Host
	}
	what = fmt.Sprintf("%s: %v", host, r.Err)
	switch c := r.Certificate; {
	case r.Cause == api.CauseNoHost:
		what = "cannot resolve " + host + ": unknown host"
	case r.Cause == api.CauseRefused:
		what = "cannot connect to " + host + ": connection refused"
	case r.Cause == api.CauseExpired && c != nil:
		what = fmt.Sprintf("the certificate of %s expired on %s (today is %s)", service, day(c.NotAfter), day(time.Now()))
	case r.Cause == api.CauseNotYetValid && c != nil:
		what = fmt.Sprintf("the certificate of %s is not valid before %s (today is %s)", service, day(c.NotBefore), day(time.Now()))
	case r.Cause == api.CauseWrongName && c != nil:
		what = fmt.Sprintf("the certificate is valid for %s, not for %s", certificateNames(c.DNSNames), service)
	case r.Cause == api.CauseAuthority:
		what = "the certificate of " + service + " is signed by an unknown authority"
	case r.Cause == api.CauseNotTLS:
		what = r.Base.Host + " does not use TLS"
	case r.Cause == api.CauseProxyLogin:
		what = r.Proxy + " requires a user name and password (407)"
	case r.Cause != api.CauseTimeout:
	case r.Failed == api.StageResolve:
		what, fix = fmt.Sprintf("cannot resolve %s: %v", host, r.Err), api.CauseResolver.Fix()
	case r.Failed == api.StageProxy:
		what, fix = fmt.Sprintf("%s: %v", r.Proxy, r.Err), api.CauseProxy.Fix()
	case r.Failed == api.StageTLS:
		what = fmt.Sprintf("%s accepts the connection but not TLS: %v", r.Base.Host, r.Err)
		fix = failure.Hintf("%s; %s", api.CauseNotTLS.Fix(), fix)
	case r.Failed == api.StageAnswer:
		what = fmt.Sprintf("%s accepts the connection but does not respond: %v", r.Base.Host, r.Err)
		fix = failure.Hintf("ask the operator of the service; %s", fix)
	}
	return what, fix
}

// certificateNames returns the first names of a certificate, which may have many long
// ones.
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
