package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Outcome is the result of trying a token.
type Outcome int

// The outcomes. Only Accepted and Refused are results of checking the token.
const (
	Accepted     Outcome = iota
	Refused              // 401 or 403, or a token that does not fit into a header
	Open                 // the service lists conversations without a token
	NoListing            // the service has no listing: 404, 405 or 501
	OtherListing         // JSON in an unknown format, which the interface does not define
	NoService            // a body that is not JSON, for example from a web site
	NotReached           // nothing was sent
	Unavailable          // no response, or a temporary failure: 429 and 5xx
	Failed               // anything else
)

// Trial is the result of TryToken.
type Trial struct {
	Outcome Outcome
	Path    string // of the listing below the base URL, if it succeeded
	Err     error  // nil if the listing succeeded; usually an *api.Error
}

// TryToken requests a listing of one conversation with a token that is, or will be,
// stored in source. If that succeeds, it repeats the request without a token. A service
// that answers this request did not check the token.
func TryToken(ctx context.Context, o api.Options, token string, source credential.Source) Trial {
	o.Token = func(context.Context) (api.Token, error) { return api.Token{Secret: token}, nil }
	o.Refused = source.Refused
	client, err := api.New(o)
	if err != nil {
		return Trial{Outcome: Failed, Err: err}
	}
	path, err := client.FindListing(ctx)
	outcome := outcomeOf(err)
	if outcome == Accepted && isOpen(ctx, o, path) {
		outcome = Open
	}
	return Trial{outcome, path, err}
}

// isOpen reports whether the service lists conversations without a token.
func isOpen(ctx context.Context, o api.Options, path string) bool {
	o.Token, o.Refused, o.Retries, o.ConversationsPath = nil, nil, 0, path
	client, err := api.New(o)
	if err == nil {
		_, err = client.FindListing(ctx)
	}
	return err == nil
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

// checkToken tries the token if the service was reached.
func checkToken(ctx context.Context, e *examination) Finding {
	source := e.token.Token.Source()
	switch {
	case errors.As(e.token.Err, new(*credential.KeyringError)):
		// The finding of the keyring check contains the cause.
		return e.skipped("not checked: the keyring does not work")
	case e.token.Err != nil:
		return e.problemOf(e.token.Err)
	case e.blocked != nil:
		return e.passed("%s; not tried: service not reached", source.Describe())
	}
	described := e.token.Token.Describe(time.Now())
	options := e.f.ClientOptions(*e.profile)
	options.Timeout, options.Retries = min(options.Timeout, serviceLimit), 0
	defer e.f.Print.Wait("verifying the token")()
	var err error
	if e.trial, err = e.tryToken(ctx, options); err != nil {
		e.token.Err = err
		return e.problemOf(err)
	}
	switch e.trial.Outcome {
	case Accepted:
		return e.passed("%s; accepted by the service", described)
	case Open:
		return e.passed("%s; not checked: the service also answers without a token", described)
	case Refused:
		refusal, what := failure.Of(e.trial.Err), "rejected by the service"
		if refusal.Status == http.StatusForbidden {
			what = "not allowed to list conversations"
		}
		return e.problem(refusal.Hint, "%s; %s: %v", described, what, e.trial.Err)
	}
	return e.passed("%s; not tried: the listing does not work", described)
}

// tryToken tries the token. That of a login is renewed if it has expired or is refused,
// without the time limit, because an interrupted renewal may end the login.
func (e *examination) tryToken(ctx context.Context, options api.Options) (Trial, error) {
	try := func(token credential.Token) Trial {
		limited, cancel := context.WithTimeout(ctx, serviceLimit)
		defer cancel()
		return TryToken(limited, options, token.Reveal(), token.Source())
	}
	if e.token.Token.Issuer() == "" {
		return try(e.token.Token), nil
	}
	resolver, key, err := e.f.Tokens(*e.profile)
	if err != nil {
		return Trial{}, err
	}
	token, err := resolver.Token(ctx, key)
	if err != nil {
		return Trial{}, resolver.Explain(err, key)
	}
	trial := try(token)
	if trial.Outcome != Refused || failure.Of(trial.Err).Status != http.StatusUnauthorized {
		return trial, nil
	}
	if token, err = resolver.Renew(ctx, key, token); err != nil {
		return Trial{}, resolver.Explain(err, key)
	}
	return try(token), nil
}

// checkListing reports on the listing, which the trial of the token requested.
func checkListing(_ context.Context, e *examination) Finding {
	err := e.trial.Err
	switch {
	case e.token.Err != nil:
		return e.skipped("not checked: no token")
	case e.blocked != nil:
		return e.skipped(notReached)
	case err == nil:
		return e.passed("works at %s", e.trial.Path)
	case e.trial.Outcome == Refused:
		return e.skipped("not checked: needs a valid token")
	case e.trial.Outcome == NoListing:
		return e.problem(failure.Hintf("check the path of the base URL; if the listing has another path: %s", failure.Run("hobnob config set conversations_path PATH")), "the service has no conversation listing: %v", err)
	case e.trial.Outcome == OtherListing, e.trial.Outcome == NoService:
		return e.problem(failure.Plain("check that the base URL belongs to an Agent Chat Service"), "%v", err)
	case errors.Is(err, context.DeadlineExceeded):
		return e.problem(failure.Plain(tryLater), "no answer within %s", duration.Format(serviceLimit))
	case e.trial.Outcome == Failed:
		return e.problemOf(err)
	}
	return e.problem(failure.Plain(tryLater), "%v", err)
}
