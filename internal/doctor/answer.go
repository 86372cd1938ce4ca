package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// maxSkew is the maximum difference between two clocks that is not a problem. With a
// larger one, certificates and tokens may seem expired.
const maxSkew = 5 * time.Minute

const tryLater = "try again later, or ask the operator of the service"

// checkAnswer checks the response of the service to a request without a token.
func checkAnswer(_ context.Context, e *examination) Finding {
	return e.stage(api.StageAnswer, func(r *api.Route) Finding {
		status := strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)))
		switch {
		case e.blocked != nil: // a web page
			return e.problem(failure.Hintf("set the base URL of the API: %s", failure.Run("hobnob config set base_url URL")), "%v", e.blocked)
		case r.Status >= 500:
			return e.problem(failure.Plain(tryLater), "%s responds with %s", r.Base, status)
		case r.Elsewhere != "":
			return e.passed("responds with %s to a request without a token, redirects to %s", status, r.Elsewhere)
		}
		return e.passed("responds with %s to a request without a token", status)
	})
}

// checkClock compares the clocks of this machine and the service.
func checkClock(_ context.Context, e *examination) Finding {
	skew, direction := e.route.Skew.Abs().Round(time.Second), "behind"
	if e.route.Skew < 0 {
		direction = "ahead of"
	}
	switch {
	case !slices.Contains(e.route.Passed, api.StageAnswer):
		return e.skipped(notReached)
	case !e.route.HasClock:
		return e.skipped("not checked: the service sends no date")
	case skew > maxSkew:
		return e.problem(failure.Plain("correct the clock of this machine; otherwise tokens and certificates may seem expired"), "the clock of this machine is %s %s the service's", duration.Format(skew), direction)
	}
	return e.passed("matches the service's clock")
}
