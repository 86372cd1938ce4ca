package doctor

import (
	"context"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// expiresSoon is how long a certificate lasts that is mentioned before it ends.
const expiresSoon = 14 * 24 * time.Hour

func checkTLS(_ context.Context, e *Examination) []Finding {
	const check = "tls"
	if e.route.Base.Scheme == "http" {
		if host := e.route.Base.Hostname(); host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.") {
			return []Finding{passed(check, "not needed on this machine")}
		}
		return []Finding{passed(check, "none: question and token travel readable (allow_insecure_http)")}
	}
	return e.atStage(check, api.StageTLS, func(r api.Route) Finding {
		found := passed(check, "%s, the certificate is verified", r.TLS)
		if c := r.Certificate; c != nil {
			if left := time.Until(c.NotAfter); left < expiresSoon {
				found.Detail = failure.Hintf("%s and ends in %s (%s)", found.Detail, cli.Counted(int(left/(24*time.Hour)), "day"), day(c.NotAfter))
				found.Fix = failure.Plain("ask the owner of the service to renew it")
			}
		}
		return found
	})
}
