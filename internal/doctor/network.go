package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// serviceLimit is the time limit for each of these, unless the profile's timeout is
// shorter: connecting to the service, its response, and its listing.
const serviceLimit = 5 * time.Second

// checkNetwork connects to the service. The following checks report on the stages of
// the connection.
func checkNetwork(ctx context.Context, e *examination) Finding {
	if why := e.offline(); why != "" {
		e.report(e.skipped(why))
		e.check = "token"
		return e.skipped(why)
	}
	defer e.f.Print.Wait("connecting to the service")()
	route, err := Reach(ctx, e.f.ClientOptions(*e.profile), serviceLimit)
	e.blocked = err
	var mistake *api.ConfigError
	if errors.As(err, &mistake) {
		e.check = "profile"
		if mistake.Setting == "ca_file" {
			e.check = "tls"
		}
		e.report(e.problem(failure.Hintf("correct it: %s", failure.Run("hobnob config set %s VALUE", mistake.Setting)), "%v", mistake))
		e.check = "network"
		return e.skipped("not checked: invalid setting " + mistake.Setting)
	}
	e.route = &route
	return Finding{}
}

// offline returns why no connection and no token are needed, or "".
func (e *examination) offline() string {
	switch {
	case e.f.Global.Replay != "":
		return "not needed: requests are answered from " + e.f.Global.Replay
	case e.profile.Embedded():
		return "not needed: the service is built into hobnob"
	}
	return ""
}

const notReached = "not checked: service not reached"

// stage returns the finding for a stage of the connection. If the stage succeeded, it
// is the result of describe.
func (e *examination) stage(stage api.Stage, describe func(*api.Route) Finding) Finding {
	switch {
	case slices.Contains(e.route.Passed, stage):
		return describe(e.route)
	case e.route.Failed == stage:
		return e.problemOf(e.blocked)
	}
	return e.skipped(notReached)
}

func checkProxy(_ context.Context, e *examination) Finding {
	r, variable := e.route, proxyVariable(e.route.Base.Scheme, e.f.Env)
	switch {
	case r.Failed == api.StageProxy && r.Proxy == "":
		return e.problem(failure.Of(e.blocked).Hint, "%s: %v", variable, r.Err)
	case r.Failed == api.StageProxy:
		return e.problemOf(e.blocked)
	case r.Proxy != "":
		return e.passed("%s (from %s)", r.Proxy, variable)
	case r.IgnoredProxy:
		return e.problem(api.CauseProxyAddress.Fix(), "%s is not a valid proxy address and is ignored", variable)
	case variable != "":
		return e.passed("none; %s does not apply to %s", variable, r.Base.Hostname())
	case e.f.Env("ALL_PROXY") != "" || e.f.Env("all_proxy") != "":
		return e.passed("none; ALL_PROXY is ignored, only HTTPS_PROXY is used")
	}
	return e.passed("none")
}

// proxyVariable returns the name of the variable that sets the proxy for a scheme. The
// precedence is that of golang.org/x/net/http/httpproxy.
func proxyVariable(scheme string, env config.Env) string {
	upper := strings.ToUpper(scheme) + "_PROXY"
	for _, name := range []string{upper, strings.ToLower(upper)} {
		if env(name) != "" {
			return name
		}
	}
	return ""
}

func checkName(_ context.Context, e *examination) Finding {
	return e.stage(api.StageResolve, func(r *api.Route) Finding {
		host, took := orProxy(r, r.Host), milliseconds(r.Resolving)
		switch n := len(r.Addresses); n {
		case 0:
			return e.passed("not needed for %s", host)
		case 1:
			return e.passed("%s has 1 address, resolved in %s", host, took)
		default:
			return e.passed("%s has %d addresses, resolved in %s", host, n, took)
		}
	})
}

func checkConnection(_ context.Context, e *examination) Finding {
	return e.stage(api.StageConnect, func(r *api.Route) Finding {
		return e.passed("connected to %s in %s", orProxy(r, r.Address), milliseconds(r.Connecting))
	})
}

// orProxy returns the host, marked as the proxy's if there is a proxy.
func orProxy(r *api.Route, host string) string {
	if r.Proxy != "" {
		return "the proxy " + host
	}
	return host
}

func milliseconds(d time.Duration) string {
	return duration.Format(max(d, time.Millisecond).Round(time.Millisecond))
}
