package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Outcome is what the trial of a token showed.
type Outcome int

// The outcomes. Only the first two say anything about the token.
const (
	Accepted     Outcome = iota
	Refused              // 401 or 403, or a token that no header can carry
	NoListing            // the service has no listing to try it with: 404, 405 or 501
	OtherListing         // JSON in a shape that hobnob does not know: the interface shows none
	NoService            // other bytes, as from a web site
	NotReached           // nothing was sent
	Unavailable          // no answer, or one that may be better later: 429 and 5xx
	Failed               // anything else
)

// Trial is the result of TryToken.
type Trial struct {
	Outcome Outcome
	Path    string // of the listing below the base URL, when the token was accepted
	Err     error  // nil when the token was accepted; mostly an *api.Error
}

// TryToken asks a service for one conversation with a token that came, or is to
// be stored, from source.
func TryToken(ctx context.Context, o api.Options, token string, source credential.Source) Trial {
	o.Token = func(context.Context) (string, error) { return token, nil }
	o.Refused = source.Refused
	client, err := api.New(o)
	if err != nil {
		return Trial{Outcome: Failed, Err: err}
	}
	path, err := client.FindListing(ctx)
	return Trial{outcomeOf(err), path, err}
}

func outcomeOf(err error) Outcome {
	var e *api.Error
	switch isRemote := errors.As(err, &e); {
	case err == nil:
		return Accepted
	case api.IsNoListing(err):
		return NoListing
	case !isRemote:
		return Failed
	case e.Kind == failure.Auth:
		return Refused
	case e.Kind == failure.Broken && json.Valid(e.Body):
		return OtherListing
	case e.Kind == failure.Broken:
		return NoService
	case e.Kind == failure.NotSent:
		return NotReached
	case e.Kind == failure.Unknown, e.Kind == failure.Limited:
		return Unavailable
	}
	return Failed
}

// checkToken tries the token where the service is reached.
func checkToken(ctx context.Context, e *examination) Finding {
	source := e.token.Token.Source()
	switch {
	case errors.As(e.token.Err, new(*credential.KeyringError)):
		// The finding about the keyring says why.
		return e.skipped("not checked, because the keyring does not answer")
	case e.token.Err != nil:
		return e.problemOf(e.token.Err)
	case e.blocked != nil:
		return e.passed("%s; not tried, because the service is not reached", source.Describe())
	}
	options := e.f.ClientOptions(*e.profile)
	options.Timeout, options.Retries = min(options.Timeout, serviceLimit), 0
	limited, cancel := context.WithTimeout(ctx, serviceLimit)
	defer cancel()
	defer e.f.Print.Wait("trying the token")()
	e.trial = TryToken(limited, options, e.token.Token.Reveal(), source)
	switch e.trial.Outcome {
	case Accepted:
		return e.passed("%s; the service accepts it", source.Describe())
	case Refused:
		refusal, what := failure.Of(e.trial.Err), "the service does not accept it"
		if refusal.Status == http.StatusForbidden {
			what = "the service knows it and does not allow the listing"
		}
		return e.problem(refusal.Hint, "%s; %s: %v", source.Describe(), what, e.trial.Err)
	}
	return e.passed("%s; not tried, because the listing does not work", source.Describe())
}

// checkListing looks at what the trial of the token showed of the listing.
func checkListing(_ context.Context, e *examination) Finding {
	err := e.trial.Err
	switch {
	case e.token.Err != nil:
		return e.skipped("not checked, because there is no token")
	case e.blocked != nil:
		return e.skipped(notReached)
	case e.trial.Outcome == Accepted:
		return e.passed("works at %s", e.trial.Path)
	case e.trial.Outcome == Refused:
		return e.skipped("not checked, because it needs the token")
	case e.trial.Outcome == NoListing:
		return e.problem(failure.Hintf("check the path of the base URL; where the listing is elsewhere: %s", failure.Run("hobnob config set conversations_path PATH")), "the service has none: %v", err)
	case e.trial.Outcome == OtherListing, e.trial.Outcome == NoService:
		return e.problem(failure.Plain("check that the base URL is that of an Agent Chat Service"), "%v", err)
	case errors.Is(err, context.DeadlineExceeded):
		return e.problem(failure.Plain(tryLater), "no answer within %s", duration.Format(serviceLimit))
	case e.trial.Outcome == Failed:
		return e.problemOf(err)
	}
	return e.problem(failure.Plain(tryLater), "%v", err)
}
