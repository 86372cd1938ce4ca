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
	"github.com/hobnob-cli/hobnob/internal/input"
)

// readToken reads the token from standard input. On a terminal the input is not
// shown.
func (d *dialogue) readToken(ctx context.Context) (string, error) {
	if d.f.IO.InTTY {
		token, err := d.f.IO.AskSecret(ctx, "Token for "+d.key.Origin+" (not shown):")
		if err != nil {
			return "", &notStoredError{err}
		}
		token = credential.Pasted(token)
		return token, credential.Validate(token)
	}
	data, err := io.ReadAll(io.LimitReader(input.Reader(ctx, d.f.IO.In), credential.MaxLength+64))
	if err != nil {
		return "", fmt.Errorf("cannot read the token from standard input: %w", err)
	}
	token := credential.Pasted(string(data))
	return token, credential.Validate(token)
}

// prepare checks, before the token is typed, that the service answers and that the
// token can be stored.
func (d *dialogue) prepare(ctx context.Context) error {
	if err := d.f.IO.PrintTTY(); err != nil {
		return failure.WithHint(fmt.Errorf("no token: %w", err), "pass it on standard input: %s < FILE", failure.Run("hobnob login --with-token"))
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

// findKeyring waits until a locked keyring is unlocked. If no keyring is available it
// offers to store the token in a file, which needs the user's consent.
func (d *dialogue) findKeyring(ctx context.Context) error {
	stored := d.tokens
	stored.Environment, stored.Command = "", nil
	var failed *credential.KeyringError
	for range maxAnswers {
		stop := d.f.Print.Wait("waiting for the keyring")
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
		d.complain(failed.Cause(), "unlock the keyring")
		if _, err := d.f.IO.AskSecret(ctx, "Press Enter when it is unlocked:"); err != nil {
			return &notStoredError{err}
		}
	}
	d.complain(failed.Cause(), "other places for the token: HOBNOB_TOKEN, token_command or a private file")
	yes, err := d.confirm(ctx, "Store the token unencrypted in "+stored.File+", readable only by you?")
	switch {
	case err != nil:
		return &notStoredError{err}
	case !yes:
		return &notStoredError{failed}
	}
	d.InsecureStorage = true
	return nil
}

// needKeyring returns an error if no keyring is available, before the token is read. A
// login at an issuer, which the user would approve in vain, also needs an unlocked one.
func (d *dialogue) needKeyring(ctx context.Context) error {
	stored := d.tokens
	stored.Environment, stored.Command = "", nil
	var failed *credential.KeyringError
	err := stored.Probe(ctx, d.key).Keyring
	switch {
	case !errors.As(err, &failed), d.Issuer == "" && !credential.IsAbsent(err):
		return nil
	case !credential.IsAbsent(err):
		return &notStoredError{failed}
	}
	hint := failure.Hintf("set HOBNOB_BASE_URL and HOBNOB_TOKEN instead of logging in, or store the token in a private file: %s", failure.Run("hobnob login --with-token --insecure-storage"))
	if d.Issuer != "" {
		hint = failure.Hintf("store the login in a private file: %s", deviceLogin{d}.command(true))
	}
	return &notStoredError{failure.New(failure.Of(failed).Kind, hint, failed.Cause())}
}

// confirm asks a yes/no question; the default is no. The answer is not shown, because
// the user may already be typing the token.
func (d *dialogue) confirm(ctx context.Context, question string) (bool, error) {
	for range maxAnswers {
		answer, err := d.f.IO.AskSecret(ctx, question+" [y/N] (not shown):")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
		d.complain("the answer is neither yes nor no", "type y or n")
	}
	return false, nil
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
			d.complain(problem.Error(), "paste the token and press Enter; it is not shown")
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

// describeRefusal returns the message, including that of the service, and the fix for
// a token that the service rejected.
func describeRefusal(err error) (what, fix string) {
	what, fix = "the service rejected the token", "copy it again from the service's application"
	var e *api.Error
	if !errors.As(err, &e) {
		return what, fix
	}
	if e.Status == http.StatusForbidden {
		what, fix = "the token is not allowed to list conversations", "ask the operator of the service for access, or enter another token"
	}
	what += fmt.Sprintf(" (%d", e.Status)
	if e.Message != "" {
		what += ": " + e.Message
	}
	return what + ")", fix
}

// tryAgain tries a token until the service accepts or rejects it, or the user gives
// up.
func (d *dialogue) tryAgain(ctx context.Context, token string) (doctor.Trial, error) {
	for tries := 1; ; tries++ {
		trial, err := d.try(ctx, token)
		mayPass := trial.Outcome == doctor.NotReached || trial.Outcome == doctor.Unavailable
		if !mayPass || tries == maxAnswers || ctx.Err() != nil {
			return trial, err
		}
		d.complain("cannot verify the token: "+cli.ShortCause(trial.Err), "")
		if _, err := d.f.IO.AskSecret(ctx, "Press Enter to try the token again:"); err != nil {
			return trial, &notStoredError{err}
		}
	}
}

// try asks the service whether it accepts the token. If the service gives no usable
// answer, such as a missing, unreadable or public listing, d.unverified is the reason.
func (d *dialogue) try(ctx context.Context, token string) (doctor.Trial, error) {
	defer d.f.Print.Wait("verifying the token")()
	d.unverified = ""
	trial := doctor.TryToken(ctx, d.f.ClientOptions(d.profile), token, credential.SourceKeyring)
	err := trial.Err
	switch trial.Outcome {
	case doctor.Accepted:
		return trial, nil
	case doctor.NoListing:
		d.unverified = "the service has no conversation listing to verify the token with"
		return trial, nil
	case doctor.Open:
		d.unverified = "the service also lists conversations without a token"
		return trial, nil
	case doctor.OtherListing:
		d.unverified = fmt.Sprintf("the service's conversation listing has an unsupported format: %v", errors.Unwrap(err))
		return trial, nil
	case doctor.NoService:
		err = d.suggestAddress(failure.WithHint(err, "check that the base URL belongs to an Agent Chat Service"))
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
