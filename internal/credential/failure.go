package credential

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// login returns the command that stores a token.
func login() failure.Command { return failure.Run("hobnob login") }

// Given returns the source that overrides stored tokens, or "".
func (r Resolver) Given() Source {
	switch {
	case r.Environment != "":
		return SourceEnvironment
	case len(r.Command) > 0:
		return SourceCommand
	}
	return ""
}

// Renew returns a hint how to replace a bad token from this source. A stored token
// would have no effect while an earlier source has one.
func (s Source) Renew() failure.Hint {
	switch s {
	case SourceEnvironment:
		return failure.Plain("correct or unset HOBNOB_TOKEN").AfterRestart()
	case SourceCommand:
		return failure.Hintf("check the command in token_command: %s", failure.Run("hobnob config get token_command"))
	}
	return failure.Hintf("get a new token from the service, then run: %s", login())
}

// Refused returns a hint for a token from this source that the service rejected with
// an HTTP status.
func (s Source) Refused(status int) failure.Hint {
	const forbidden = "the token has no permission for this; ask the operator of the service, or "
	switch {
	case status == 403 && s != SourceEnvironment && s != SourceCommand:
		return failure.Hintf(forbidden+"use another token: %s", login())
	case status == 403:
		return failure.Hintf(forbidden+"%s", s.Renew())
	}
	return failure.Hintf("the token is invalid or has expired; %s", s.Renew())
}

// Explain adds context to an error of Token: the profile and origin without a token,
// or a hint how to replace an invalid one.
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
	otherPlaces := failure.Hintf("set HOBNOB_TOKEN, or store the token in a private file: %s", failure.Run("hobnob login --insecure-storage"))
	f := failure.Failure{Kind: failure.Auth, Hint: otherPlaces}
	switch {
	case e.Op == "delete":
		f.Hint = failure.Plain("the keyring may still contain the token; retry when the keyring works")
	case e.Reason == ReasonLocked, e.Reason == ReasonDismissed, e.Reason == ReasonTimeout:
		f.Hint = failure.Hintf("unlock the keyring and retry; or %s", otherPlaces)
	}
	return f
}

// Failure implements failure.Explainer.
func (e *CommandError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Auth, Hint: failure.Hintf("run the command yourself; to print it: %s", failure.Run("hobnob config get token_command"))}
}

// Failure implements failure.Explainer.
func (e *FileError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.Auth}
	switch {
	case errors.Is(e, ErrFileExposed):
		f.Hint = failure.Plain("make it private: chmod 600 " + e.Path)
	case errors.Is(e, ErrFileCorrupt):
		f.Hint = failure.Hintf("move %s away, then run: %s", e.Path, failure.Run("hobnob login --insecure-storage"))
	case errors.Is(e, fs.ErrPermission):
		f.Hint = failure.Plain(access.Fix(e.Path, access.Read))
	}
	return f
}
