package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// serviceLimit bounds connecting to the service, its answer, and its listing, each
// by itself, where the profile's timeout is not shorter.
const serviceLimit = 5 * time.Second

// checkNetwork goes the way to the service. The checks after it say how each part
// of the way went.
func checkNetwork(ctx context.Context, e *Examination) []Finding {
	if e.profile.Embedded() {
		const why = "not needed: the service is built into hobnob"
		return []Finding{skipped("network", why), skipped("token", why)}
	}
	defer e.Wait("going the way to the service")()
	route, err := Reach(ctx, e.Options(*e.profile), serviceLimit)
	e.blocked = err
	var mistake *api.ConfigError
	if errors.As(err, &mistake) {
		check := "profile"
		if mistake.Setting == "ca_file" {
			check = "tls"
		}
		return []Finding{
			problem(check, failure.Hintf("correct it: %s", failure.Run("hobnob config set %s VALUE", mistake.Setting)), "%v", mistake),
			skipped("network", "not checked, because of the setting "+mistake.Setting),
		}
	}
	e.route = &route
	return nil
}

// atStage returns the finding about a stage of the way to the service: that of
// describe when it was passed.
func (e *Examination) atStage(check string, stage api.Stage, describe func(api.Route) Finding) []Finding {
	switch {
	case slices.Contains(e.route.Passed, stage):
		return []Finding{describe(*e.route)}
	case e.route.Failed == stage:
		return []Finding{problemOf(check, e.blocked)}
	}
	return []Finding{skipped(check, "not checked, because the service is not reached")}
}

func checkProxy(_ context.Context, e *Examination) []Finding {
	const check = "proxy"
	r, variable := *e.route, proxyVariable(e.route.Base.Scheme, e.Env)
	found := passed(check, "none")
	switch {
	case r.Failed == api.StageProxy && r.Proxy == "":
		found = problem(check, failure.Of(e.blocked).Hint, "%s: %v", variable, r.Err)
	case r.Failed == api.StageProxy:
		found = problemOf(check, e.blocked)
	case r.Proxy != "":
		found = passed(check, "%s (from %s)", r.Proxy, variable)
	case r.IgnoredProxy:
		found = problem(check, api.CauseProxyAddress.Fix(), "%s is no address of a proxy, so none is used", variable)
	case variable != "":
		found = passed(check, "none; %s does not hold for %s", variable, r.Base.Hostname())
	case e.Env("ALL_PROXY") != "" || e.Env("all_proxy") != "":
		found = passed(check, "none; ALL_PROXY is not looked at, only HTTPS_PROXY")
	}
	return []Finding{found}
}

// proxyVariable returns the variable that names the proxy for a scheme, in the
// order of golang.org/x/net/http/httpproxy.
func proxyVariable(scheme string, env config.Env) string {
	upper := strings.ToUpper(scheme) + "_PROXY"
	for _, name := range []string{upper, strings.ToLower(upper)} {
		if env(name) != "" {
			return name
		}
	}
	return ""
}

func checkName(_ context.Context, e *Examination) []Finding {
	const check = "dns"
	return e.atStage(check, api.StageResolve, func(r api.Route) Finding {
		host, addresses := r.Host, "1 address"
		if r.Proxy != "" {
			host = "the proxy " + host
		}
		if len(r.Addresses) == 0 {
			return passed(check, "not needed for %s", host)
		}
		if len(r.Addresses) > 1 {
			addresses = fmt.Sprintf("%d addresses", len(r.Addresses))
		}
		return passed(check, "%s has %s, found in %s", host, addresses, milliseconds(r.Resolving))
	})
}

func checkConnection(_ context.Context, e *Examination) []Finding {
	const check = "connect"
	return e.atStage(check, api.StageConnect, func(r api.Route) Finding {
		what := r.Address
		if r.Proxy != "" {
			what = "the proxy " + what
		}
		return passed(check, "%s in %s", what, milliseconds(r.Connecting))
	})
}

func milliseconds(d time.Duration) string {
	return duration.Format(max(d, time.Millisecond).Round(time.Millisecond))
}
