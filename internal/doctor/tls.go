package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

// expiresSoon is the remaining time from which the end of a certificate is reported.
const expiresSoon = 14 * 24 * time.Hour

func checkTLS(_ context.Context, e *examination) Finding {
	if e.route.Base.Scheme == "http" {
		if host := e.route.Base.Hostname(); host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.") {
			return e.passed("not needed on this machine")
		}
		return e.passed("none: questions and token are sent unencrypted (allow_insecure_http)")
	}
	return e.stage(api.StageTLS, func(r *api.Route) Finding {
		found := e.passed("%s, certificate verified", r.TLS)
		if c := r.Certificate; c != nil {
			if left := time.Until(c.NotAfter); left < expiresSoon {
				found.Detail += fmt.Sprintf(", expires in %s (%s)", plural.Count(int(left/(24*time.Hour)), "day"), day(c.NotAfter))
				found.Fix = cli.OrNull("ask the operator of the service to renew it")
			}
		}
		return found
	})
}
