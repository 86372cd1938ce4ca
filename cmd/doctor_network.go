package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

const (
	// checkLimit bounds connecting to the service, its answer, and its listing,
	// each by itself, where the profile's timeout is not shorter.
	checkLimit = 5 * time.Second

	// A certificate that ends sooner is mentioned.
	soonExpired = 14 * 24 * time.Hour

	// A larger difference makes certificates and tokens seem expired.
	maxSkew = 5 * time.Minute
)

// checkNetwork goes the way to the service. It reports whether it got there.
func checkNetwork(ctx context.Context, f *cli.Factory, p config.Profile) (findings []finding, reached bool, err error) {
	options := f.ClientOptions(p)
	options.Timeout = min(options.Timeout, checkLimit)
	stop := f.Print.Wait("going the way to the service")
	route, err := api.Probe(ctx, options)
	stop()
	var mistake *api.ConfigError
	if errors.As(err, &mistake) {
		check := "profile"
		if mistake.Setting == "ca_file" {
			check = "tls"
		}
		return []finding{problem(check, failure.Hintf("correct it: %s", failure.Run("hobnob config set %s VALUE", mistake.Setting)), "%v", mistake), skipped("network", "not checked, because of the setting "+mistake.Setting)}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	findings = []finding{describeProxy(route, f.Env)}
	for _, step := range []struct {
		check string
		stage api.Stage
		fine  func(api.Route) finding
	}{
		{"dns", api.StageResolve, describeResolved},
		{"connect", api.StageConnect, describeConnected},
		{"tls", api.StageTLS, describeTLS},
		{"service", api.StageAnswer, describeAnswer},
		{"clock", api.StageAnswer, describeClock},
	} {
		switch {
		case slices.Contains(route.Passed, step.stage):
			findings = append(findings, step.fine(route))
		case route.Failed == step.stage && step.check != "clock":
			what, fix := blocked(route, time.Now())
			findings = append(findings, problem(step.check, fix, "%s", what))
		case step.stage == api.StageTLS && route.Base.Scheme == "http":
			findings = append(findings, describeTLS(route))
		default:
			findings = append(findings, skipped(step.check, "not checked, because the service is not reached"))
		}
	}
	return findings, route.Failed == "" && !isWebPage(route), nil
}

func describeProxy(r api.Route, env config.Env) finding {
	variable := proxyVariable(r.Base.Scheme, env)
	switch {
	case r.Failed == api.StageProxy:
		what, fix := blocked(r, time.Now())
		if r.Proxy == "" {
			what = fmt.Sprintf("%s: %v", variable, r.Err)
		}
		return problem("proxy", fix, "%s", what)
	case r.Proxy != "":
		return fine("proxy", "%s (from %s)", r.Proxy, variable)
	case r.IgnoredProxy:
		return problem("proxy", api.CauseProxyAddress.Fix(), "%s is no address of a proxy, so none is used", variable)
	case variable != "":
		return fine("proxy", "none; %s does not hold for %s", variable, r.Base.Hostname())
	case env("ALL_PROXY") != "" || env("all_proxy") != "":
		return fine("proxy", "none; ALL_PROXY is not looked at, only HTTPS_PROXY")
	}
	return fine("proxy", "none")
}

// proxyVariable is the variable that names the proxy for a scheme, in the order
// of golang.org/x/net/http/httpproxy.
func proxyVariable(scheme string, env config.Env) string {
	upper := strings.ToUpper(scheme) + "_PROXY"
	for _, name := range []string{upper, strings.ToLower(upper)} {
		if env(name) != "" {
			return name
		}
	}
	return ""
}

func describeResolved(r api.Route) finding {
	host := r.Host
	if r.Proxy != "" {
		host = "the proxy " + host
	}
	if len(r.Addresses) == 0 {
		return fine("dns", "not needed for %s", host)
	}
	addresses := cli.Counted(len(r.Addresses), "address")
	if len(r.Addresses) > 1 {
		addresses = fmt.Sprintf("%d addresses", len(r.Addresses))
	}
	return fine("dns", "%s has %s, found in %s", host, addresses, milliseconds(r.Resolving))
}

func describeConnected(r api.Route) finding {
	what := ""
	if r.Proxy != "" {
		what = "the proxy "
	}
	return fine("connect", "%s%s in %s", what, r.Address, milliseconds(r.Connecting))
}

func describeTLS(r api.Route) finding {
	if r.Base.Scheme == "http" {
		if host := r.Base.Hostname(); host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.") {
			return fine("tls", "not needed on this machine")
		}
		return fine("tls", "none: question and token travel readable (allow_insecure_http)")
	}
	found := fine("tls", "%s, the certificate is verified", r.TLS)
	if c := r.Certificate; c != nil {
		if left := time.Until(c.NotAfter); left < soonExpired {
			found.detail = failure.Hintf("%s and ends in %s (%s)", found.detail, cli.Counted(int(left/(24*time.Hour)), "day"), day(c.NotAfter))
			found.fix = failure.Plain("ask the owner of the service to renew it")
		}
	}
	return found
}

func describeAnswer(r api.Route) finding {
	status := strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)))
	switch {
	case isWebPage(r):
		return problem("service", failure.Hintf("set the base URL of the API instead: %s", failure.Run("hobnob config set base_url URL")), "%s answers with a web page", r.Base)
	case r.Status >= 500:
		return problem("service", failure.Plain("try later, or ask the owner of the service"), "%s answers %s", r.Base, status)
	case r.Elsewhere != "":
		return fine("service", "answers %s to a request without a token, and points to %s", status, r.Elsewhere)
	}
	return fine("service", "answers %s to a request without a token", status)
}

func describeClock(r api.Route) finding {
	skew := r.Skew.Abs().Round(time.Second)
	direction := "behind"
	if r.Skew < 0 {
		direction = "ahead of"
	}
	switch {
	case !r.HasClock:
		return skipped("clock", "the service does not tell its time")
	case skew > maxSkew:
		return problem("clock", failure.Plain("set the clock of this machine; a wrong one makes tokens and certificates seem expired"), "this machine is %s %s the service", config.Format(skew), direction)
	}
	return fine("clock", "agrees with that of the service")
}
