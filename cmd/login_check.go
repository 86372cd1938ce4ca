package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/doctor"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// reachLimit bounds connecting to a service that was typed, and its answer.
const reachLimit = 10 * time.Second

// reach goes the way to the service without a token. Any answer that does not
// come from a web page will do.
func (l *login) reach(ctx context.Context, p config.Profile) error {
	defer l.f.Print.Wait("reaching the service")()
	route, err := doctor.Reach(ctx, l.f.ClientOptions(p), reachLimit)
	var unreached *doctor.UnreachedError
	switch {
	case errors.As(err, &unreached) && unreached.WebPage:
		return failure.WithHint(err, "give the address of its API, without the path of a page")
	case route.Elsewhere != "":
		l.f.Print.Note("%s points to %s; if the token is not accepted, that may be the address", p.BaseURL, route.Elsewhere)
	}
	return err
}

// elsewhere says how to give another address in place of the configured one, which
// does not lead to a service.
func (l *login) elsewhere(err error) error {
	if l.f.Global.BaseURL != "" {
		return err
	}
	return failure.WithHint(err, "%s; another address is given by: %s", failure.Of(err).Hint, failure.Run("hobnob login --base-url URL"))
}

// prepare finds what would make typing the token pointless.
func (l *login) prepare(ctx context.Context) error {
	if err := l.f.IO.Tell(); err != nil {
		return noTerminalForToken(err)
	}
	if !l.reached {
		if _, err := baseurl.Parse(l.profile.BaseURL, l.profile.AllowInsecureHTTP); err != nil {
			return err
		}
		if err := l.reach(ctx, l.profile); err != nil {
			return &notStoredError{l.elsewhere(err)}
		}
	}
	if l.InsecureStorage {
		return nil
	}
	return l.findKeyring(ctx)
}

// findKeyring waits for a keyring that is locked, and offers the file where
// there is none: that it takes the token is the user's own choice.
func (l *login) findKeyring(ctx context.Context) error {
	resolver, key, err := l.f.Tokens(l.profile)
	if err != nil {
		return err
	}
	resolver.Environment, resolver.Command = "", nil
	var failed *credential.KeyringError
	for range maxAnswers {
		stop := l.f.Print.Wait("asking the keyring")
		err := resolver.Probe(ctx, key).Keyring
		stop()
		if err == nil {
			return nil
		}
		if !errors.As(err, &failed) {
			return &notStoredError{err}
		}
		if !opensLater(failed.Reason) {
			break
		}
		if err := l.complain(keyringTrouble(failed), "unlock it, in its own window or with its own program"); err != nil {
			return err
		}
		if _, err := l.question(ctx, "Press Enter when it is unlocked", ""); err != nil {
			return err
		}
	}
	if err := l.complain(keyringTrouble(failed), "the other places for a token: HOBNOB_TOKEN, token_command, or a private file"); err != nil {
		return err
	}
	yes, err := l.f.IO.Confirm(ctx, "Keep it unencrypted in "+resolver.File+", which only you can read?")
	switch {
	case err != nil:
		return &notStoredError{err}
	case !yes:
		return &notStoredError{failed}
	}
	l.InsecureStorage = true
	return nil
}

func opensLater(r credential.Reason) bool {
	return r == credential.ReasonLocked || r == credential.ReasonDismissed || r == credential.ReasonTimeout
}

func keyringTrouble(e *credential.KeyringError) string {
	return strings.TrimPrefix(e.Error(), e.Op+" the token: ")
}

// tryToken verifies a token that was typed, and again when the service could
// not be asked.
func (l *login) tryToken(ctx context.Context, token string) (doctor.Outcome, error) {
	for tries := 1; ; tries++ {
		outcome, err := l.verify(ctx, token)
		if outcome != doctor.NotReached && outcome != doctor.Unavailable || tries == maxAnswers || ctx.Err() != nil {
			return outcome, err
		}
		if err := l.complainOf(err); err != nil {
			return outcome, err
		}
		if _, err := l.question(ctx, "Press Enter to try the token again", ""); err != nil {
			return outcome, err
		}
	}
}

// verify tries the token. A service without a listing, or with one in another
// shape, cannot tell; that is reported and no error.
func (l *login) verify(ctx context.Context, token string) (doctor.Outcome, error) {
	stop := l.f.Print.Wait("trying the token")
	trial := doctor.TryToken(ctx, l.f.ClientOptions(l.profile), token, credential.SourceKeyring)
	stop()
	err := trial.Err
	switch trial.Outcome {
	case doctor.Accepted:
		return trial.Outcome, nil
	case doctor.NoListing:
		l.f.Print.Warn("the token could not be tried, because the service has no listing of conversations at its usual places")
		return trial.Outcome, nil
	case doctor.OtherListing:
		l.f.Print.Warn("the token could not be tried, because the service answers with a listing of conversations that hobnob cannot read: %v", errors.Unwrap(err))
		return trial.Outcome, nil
	case doctor.Failed:
		if errors.As(err, new(*api.ConfigError)) {
			return trial.Outcome, err
		}
	case doctor.Unavailable:
		err = failure.WithHint(err, "try again later: %s", failure.Run("hobnob login"))
	case doctor.NoService:
		err = l.elsewhere(failure.WithHint(err, "check that the base URL is that of an Agent Chat Service"))
	case doctor.NotReached:
		err = l.elsewhere(err)
	}
	return trial.Outcome, &notStoredError{err}
}

// complainOf tells an error on the terminal, with what to answer instead.
func (l *login) complainOf(problem error) error {
	told := l.f.Print.Explain(problem)
	var address *baseurl.Error
	var e *api.Error
	switch isRemote := errors.As(problem, &e); {
	case errors.As(problem, new(*doctor.UnreachedError)):
	case errors.As(problem, &address):
		if !errors.As(problem, new(*failure.Error)) {
			told.Hint = "" // it is about flags and files
		}
	case errors.Is(problem, credential.ErrInvalid):
		told.Hint = "paste it and press Enter; what you type is not shown"
	case isRemote && e.Status == http.StatusForbidden:
		told.Message, told.Hint = "the service knows this token and does not allow it to list conversations"+answered(e), "ask the owner of the service, or give another token"
	case isRemote && e.Kind == api.KindAuth:
		told.Message, told.Hint = "the service does not accept this token"+answered(e), "copy it again, from the service's own application"
	case isRemote:
		told.Message, told.Hint = "the token could not be tried: "+cli.ShortCause(e), ""
	}
	return l.complain(told.Message, told.Hint)
}

// answered is the status with the service's own words.
func answered(e *api.Error) string {
	text := fmt.Sprintf(" (%d", e.Status)
	if e.Message != "" {
		text += ": " + terminal.CleanLine(e.Message)
	}
	return text + ")"
}
