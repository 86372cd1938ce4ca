package doctor

import (
	"context"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func checkProxy(_ context.Context, e *Examination) []Finding {
	if e.route == nil {
		return nil
	}
	return []Finding{e.describeProxy("proxy", *e.route)}
}

func (e *Examination) describeProxy(check string, r api.Route) Finding {
	variable := proxyVariable(r.Base.Scheme, e.Env)
	switch {
	case r.Failed == api.StageProxy && r.Proxy == "":
		return problem(check, failure.Of(e.blocked).Hint, "%s: %v", variable, r.Err)
	case r.Failed == api.StageProxy:
		return problemOf(check, e.blocked)
	case r.Proxy != "":
		return passed(check, "%s (from %s)", r.Proxy, variable)
	case r.IgnoredProxy:
		return problem(check, api.CauseProxyAddress.Fix(), "%s is no address of a proxy, so none is used", variable)
	case variable != "":
		return passed(check, "none; %s does not hold for %s", variable, r.Base.Hostname())
	case e.Env("ALL_PROXY") != "" || e.Env("all_proxy") != "":
		return passed(check, "none; ALL_PROXY is not looked at, only HTTPS_PROXY")
	}
	return passed(check, "none")
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
