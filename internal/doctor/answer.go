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
func checkAnswer(_ context.Context, e *Examination) []Finding {
	const check = "service"
	return e.atStage(check, api.StageAnswer, func(r api.Route) Finding {
		status := strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)))
		switch {
		case e.blocked != nil: // by a web page
			return problem(check, failure.Hintf("set the base URL of the API instead: %s", failure.Run("hobnob config set base_url URL")), "%v", e.blocked)
		case r.Status >= 500:
			return problem(check, failure.Plain(tryLater), "%s answers %s", r.Base, status)
		case r.Elsewhere != "":
			return passed(check, "answers %s to a request without a token, and points to %s", status, r.Elsewhere)
		}
		return passed(check, "answers %s to a request without a token", status)
	})
}

// checkClock compares the clock of this machine with that of the service.
func checkClock(_ context.Context, e *Examination) []Finding {
	const check = "clock"
	skew, direction := e.route.Skew.Abs().Round(time.Second), "behind"
	if e.route.Skew < 0 {
		direction = "ahead of"
	}
	found := passed(check, "agrees with that of the service")
	switch {
	case !slices.Contains(e.route.Passed, api.StageAnswer):
		found = skipped(check, "not checked, because the service is not reached")
	case !e.route.HasClock:
		found = skipped(check, "the service does not tell its time")
	case skew > maxSkew:
		found = problem(check, failure.Plain("set the clock of this machine; a wrong one makes tokens and certificates seem expired"), "this machine is %s %s the service", duration.Format(skew), direction)
	}
	return []Finding{found}
}
