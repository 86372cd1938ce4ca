package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/doctor"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// readToken reads the token from standard input.
func (d *dialogue) readToken() (string, error) {
	data, err := io.ReadAll(io.LimitReader(d.f.IO.In, credential.MaxLength+64))
	if err != nil {
		return "", fmt.Errorf("cannot read the token from standard input: %w", err)
	}
	token := credential.Pasted(string(data))
	return token, credential.Validate(token)
}

// prepare finds what would make typing the token pointless.
func (d *dialogue) prepare(ctx context.Context) error {
	if err := d.f.IO.Tell(); err != nil {
		return failure.WithHint(fmt.Errorf("the token is missing: %w", err), "give it on standard input: %s < FILE", failure.Run("hobnob login --with-token"))
	}
	if !d.reached {
		if err := d.reach(ctx, d.profile); err != nil {
			return &notStoredError{d.suggestAddress(err)}
		}
	}
	if d.InsecureStorage {
		return nil
	}
	return d.findKeyring(ctx)
}

// findKeyring waits for a keyring that is locked. Where there is none it offers
// the file: only the user may choose that.
func (d *dialogue) findKeyring(ctx context.Context) error {
	stored := d.tokens
	stored.Environment, stored.Command = "", nil
	var failed *credential.KeyringError
	for range maxAnswers {
		stop := d.f.Print.Wait("asking the keyring")
		err := stored.Probe(ctx, d.key).Keyring
		stop()
		if err == nil {
			return nil
		}
		if !errors.As(err, &failed) {
			return &notStoredError{err}
		}
		if failed.Reason != credential.ReasonLocked && failed.Reason != credential.ReasonDismissed && failed.Reason != credential.ReasonTimeout {
			break
		}
		d.complainOfKeyring(failed, "unlock it, in its own window or with its own program")
		if _, err := d.question(ctx, "Press Enter when it is unlocked", ""); err != nil {
			return err
		}
	}
	d.complainOfKeyring(failed, "the other places for a token: HOBNOB_TOKEN, token_command, or a private file")
	yes, err := d.f.IO.Confirm(ctx, "Keep it unencrypted in "+stored.File+", which only you can read?")
	switch {
	case err != nil:
		return &notStoredError{err}
	case !yes:
		return &notStoredError{failed}
	}
	d.InsecureStorage = true
	return nil
}

func (d *dialogue) complainOfKeyring(e *credential.KeyringError, fix string) {
	d.complain(strings.TrimPrefix(e.Error(), e.Op+" the token: "), fix)
}

// askToken asks for the token until the service accepts it.
func (d *dialogue) askToken(ctx context.Context) (string, error) {
	var problem error
	for range maxAnswers {
		token, err := d.f.IO.AskSecret(ctx, "Token for "+d.key.Origin+" (not shown):")
		if err != nil {
			return "", &notStoredError{err}
		}
		token = credential.Pasted(token)
		if problem = credential.Validate(token); problem != nil {
			d.complain(problem.Error(), "paste it and press Enter; what you type is not shown")
			continue
		}
		var trial doctor.Trial
		if trial, problem = d.tryAgain(ctx, token); trial.Outcome != doctor.Refused {
			return token, problem
		}
		d.complain(describeRefusal(trial.Err))
	}
	return "", problem
}

// describeRefusal says that the service refuses the token, with the words of the
// service, and what to do.
func describeRefusal(err error) (what, fix string) {
	what, fix = "the service does not accept this token", "copy it again, from the service's own application"
	var e *api.Error
	if !errors.As(err, &e) {
		return what, fix
	}
	if e.Status == http.StatusForbidden {
		what, fix = "the service knows this token and does not allow it to list conversations", "ask the owner of the service, or give another token"
	}
	what += fmt.Sprintf(" (%d", e.Status)
	if e.Message != "" {
		what += ": " + e.Message
	}
	return what + ")", fix
}

// tryAgain tries a token until the service says something about it, or the user
// gives up.
func (d *dialogue) tryAgain(ctx context.Context, token string) (doctor.Trial, error) {
	for tries := 1; ; tries++ {
		trial, err := d.try(ctx, token)
		mayPass := trial.Outcome == doctor.NotReached || trial.Outcome == doctor.Unavailable
		if !mayPass || tries == maxAnswers || ctx.Err() != nil {
			return trial, err
		}
		d.complain("the token could not be tried: "+cli.ShortCause(trial.Err), "")
		if _, err := d.question(ctx, "Press Enter to try the token again", ""); err != nil {
			return trial, err
		}
	}
}

// try asks the service whether it accepts the token. A service without a listing,
// or with one in another shape, cannot tell; that is a warning and no error.
func (d *dialogue) try(ctx context.Context, token string) (doctor.Trial, error) {
	defer d.f.Print.Wait("trying the token")()
	trial := doctor.TryToken(ctx, d.f.ClientOptions(d.profile), token, credential.SourceKeyring)
	err := trial.Err
	switch trial.Outcome {
	case doctor.Accepted:
		return trial, nil
	case doctor.NoListing:
		d.f.Print.Warn("the token could not be tried, because the service has no listing of conversations at its usual places")
		return trial, nil
	case doctor.OtherListing:
		d.f.Print.Warn("the token could not be tried, because the service answers with a listing of conversations that hobnob cannot read: %v", errors.Unwrap(err))
		return trial, nil
	case doctor.NoService:
		err = d.suggestAddress(failure.WithHint(err, "check that the base URL is that of an Agent Chat Service"))
	case doctor.NotReached:
		err = d.suggestAddress(err)
	case doctor.Unavailable:
		err = failure.WithHint(err, "try again later: %s", failure.Run("hobnob login"))
	case doctor.Failed:
		if errors.As(err, new(*api.ConfigError)) {
			return trial, err
		}
	}
	return trial, &notStoredError{err}
}
