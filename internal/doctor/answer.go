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

// maxSkew is the largest difference of two clocks that does not make certificates
// and tokens seem expired.
const maxSkew = 5 * time.Minute

const tryLater = "try later, or ask the owner of the service"

// checkAnswer looks at what the service answers to a request without a token.
func checkAnswer(_ context.Context, e *examination) Finding {
	return e.stage(api.StageAnswer, func(r *api.Route) Finding {
		status := strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)))
		switch {
		case e.blocked != nil: // by a web page
			return e.problem(failure.Hintf("set the base URL of the API instead: %s", failure.Run("hobnob config set base_url URL")), "%v", e.blocked)
		case r.Status >= 500:
			return e.problem(failure.Plain(tryLater), "%s answers %s", r.Base, status)
		case r.Elsewhere != "":
			return e.passed("answers %s to a request without a token, and points to %s", status, r.Elsewhere)
		}
		return e.passed("answers %s to a request without a token", status)
	})
}

// checkClock compares the clock of this machine with that of the service.
func checkClock(_ context.Context, e *examination) Finding {
	skew, direction := e.route.Skew.Abs().Round(time.Second), "behind"
	if e.route.Skew < 0 {
		direction = "ahead of"
	}
	switch {
	case !slices.Contains(e.route.Passed, api.StageAnswer):
		return e.skipped(notReached)
	case !e.route.HasClock:
		return e.skipped("the service does not tell its time")
	case skew > maxSkew:
		return e.problem(failure.Plain("set the clock of this machine; a wrong one makes tokens and certificates seem expired"), "this machine is %s %s the service", duration.Format(skew), direction)
	}
	return e.passed("agrees with that of the service")
}
