package credential

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// login is the command that stores a token.
func login() failure.Command { return failure.Run("hobnob login") }

// Given returns the source that comes before every stored token, "" when there
// is none.
func (r Resolver) Given() Source {
	switch {
	case r.Environment != "":
		return SourceEnvironment
	case len(r.Command) > 0:
		return SourceCommand
	}
	return ""
}

// Renew returns how to get another token to where a bad one came from: what
// login stores is not looked at while an earlier source has a token.
func (s Source) Renew() failure.Hint {
	switch s {
	case SourceEnvironment:
		return failure.Plain("correct or unset HOBNOB_TOKEN")
	case SourceCommand:
		return failure.Hintf("correct what the setting token_command prints: %s", failure.Run("hobnob config get token_command"))
	}
	return failure.Hintf("get a new one from the service and run: %s", login())
}

// Refused returns what to do about a token of this source that the service
// refused with an HTTP status.
func (s Source) Refused(status int) failure.Hint {
	const known = "the token is known but not allowed to do this; ask the owner of the service, or "
	switch {
	case status == 403 && s != SourceEnvironment && s != SourceCommand:
		return failure.Hintf(known+"use another token: %s", login())
	case status == 403:
		return failure.Hintf(known+"%s", s.Renew())
	}
	return failure.Hintf("the token is not valid or has ended; %s", s.Renew())
}

// Explain returns err, which came from looking for the token of a key, with what
// it means there: which key has no token, and where an unusable one is corrected.
func (r Resolver) Explain(err error, key Key) error {
	switch source := r.Given(); {
	case errors.Is(err, ErrInvalid) && source != "":
		return failure.WithHint(err, "%s", source.Renew())
	case errors.Is(err, ErrNoToken):
		return fmt.Errorf("%w for profile %q at %s", err, key.Profile, key.Origin)
	}
	return err
}

// Failure implements failure.Explainer.
func (e *KeyringError) Failure() failure.Failure {
	around := failure.Hintf("set HOBNOB_TOKEN, or keep it in a private file with: %s", failure.Run("hobnob login --insecure-storage"))
	f := failure.Failure{Kind: failure.Auth, Hint: around}
	switch {
	case e.Op == "delete":
		f.Hint = failure.Plain("the keyring may still have the token; try again where the keyring works")
	case e.Reason == ReasonLocked, e.Reason == ReasonDismissed, e.Reason == ReasonTimeout:
		f.Hint = failure.Hintf("unlock the keyring and try again; without one, %s", around)
	}
	return f
}

// Failure implements failure.Explainer.
func (e *CommandError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Auth, Hint: failure.Hintf("run it by hand; it is the setting token_command: %s", failure.Run("hobnob config get token_command"))}
}

// Failure implements failure.Explainer.
func (e *FileError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.Auth}
	switch {
	case errors.Is(e, ErrFileExposed):
		f.Hint = failure.Plain("make it private again: chmod 600 " + e.Path)
	case errors.Is(e, ErrFileCorrupt):
		f.Hint = failure.Hintf("move %s away and run: %s", e.Path, failure.Run("hobnob login --insecure-storage"))
	case errors.Is(e, fs.ErrPermission):
		f.Hint = failure.Plain(access.Fix(e.Path, access.Read))
	}
	return f
}
