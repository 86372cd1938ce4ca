// Package credential owns where the token of a profile comes from (the
// environment, a command, the system's keyring, a private file) and where it is
// put. It is the only package that knows the keyring and the token file. It must
// not know commands, flags, settings files, HTTP or the terminal: its caller
// has already chosen the profile and found its origin.
//
// A stored token is bound to a profile and an origin, so that a changed base URL
// finds nothing to send. Nothing here falls back to plaintext by itself: the
// token file exists only after Store with insecure set.
package credential

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// ErrNoToken says that every source was looked at and none has a token for the
// key.
var ErrNoToken error = failure.New(failure.Auth, failure.Hintf("store one with %s, or set HOBNOB_TOKEN", login()), "no token is stored")

// Key names one stored token. An entry is found by both fields together and by
// nothing less.
type Key struct {
	Profile string `json:"profile"` // name of the profile
	Origin  string `json:"origin"`  // scheme, host and port of its service, like "https://chat.example.com"
}

// user is the name of the entry in the keyring. It is unambiguous because an
// origin holds no space.
func (k Key) user() (string, error) {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case k.Profile == "" || !utf8.ValidString(k.Profile) || strings.ContainsFunc(k.Profile, unprintable):
		return "", fmt.Errorf("profile name %q cannot be stored with a token", k.Profile)
	case k.Origin == "" || !utf8.ValidString(k.Origin) || strings.ContainsFunc(k.Origin, unprintable) || strings.Contains(k.Origin, " "):
		return "", fmt.Errorf("origin %q cannot be stored with a token", k.Origin)
	}
	return k.Profile + " " + k.Origin, nil
}

// Resolver finds, stores and deletes tokens. It is a plain value; the zero
// Resolver knows the system's keyring alone. It prints without its Environment.
type Resolver struct {
	Environment string   `json:"-"` // value of HOBNOB_TOKEN; empty when it is not set
	Command     []string // token_command, allowed by the caller for the key's origin; run without a shell
	Keyring     Keyring  // nil: the system's
	File        string   // path of the token file; empty: there is none

	Stdin  *os.File  // the terminal on which the command may ask, or nil; never a pipe that holds a prompt
	Stderr io.Writer // where the command's own messages go; nil: nowhere

	limit time.Duration // goes before keyringLimit; zero: nothing does
}

// Format prints the name of the type alone: Environment is a secret.
func (Resolver) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "credential.Resolver") }

// Token returns the token for key from the first source that has one:
// environment, command, keyring, file (design §5).
//
// A source that is present and broken ends the search: a failing command is a
// *CommandError, a token that no header can carry wraps ErrInvalid, a token file
// that must not be trusted is a *FileError. The keyring alone may fail in
// silence, when the file has the token; when it has not, the result is the
// *KeyringError. ErrNoToken means that all sources work and none has the token.
func (r Resolver) Token(ctx context.Context, key Key) (Token, error) {
	if token, err := r.given(ctx); err != nil || token.secret != nil {
		return token, err
	}
	token, err := r.fromKeyring(ctx, key)
	return r.stored(key, token, err)
}

// Status is what Probe found.
type Status struct {
	Token   Token // the token that would be used; its Source is the news. Zero when Err is set
	Err     error // what Token would return
	Keyring error // nil when the keyring answers, whether or not it has the token; else mostly a *KeyringError
}

// Probe does what Token does and also asks the keyring when an earlier source
// has the token already. It runs the command, once.
func (r Resolver) Probe(ctx context.Context, key Key) Status {
	var s Status
	kept, keyringErr := r.fromKeyring(ctx, key)
	if !errors.Is(keyringErr, ErrNotFound) && !errors.Is(keyringErr, ErrInvalid) {
		s.Keyring = keyringErr
	}
	s.Token, s.Err = r.given(ctx)
	if s.Err == nil && s.Token.secret == nil {
		s.Token, s.Err = r.stored(key, kept, keyringErr)
	}
	return s
}

// given is the upper half of the ladder: what the user hands over for this run.
// With neither environment nor command the result is the zero Token.
func (r Resolver) given(ctx context.Context) (Token, error) {
	switch {
	case r.Environment != "":
		return newToken(Trim(r.Environment), SourceEnvironment)
	case len(r.Command) > 0:
		return r.fromCommand(ctx)
	default:
		return Token{}, nil
	}
}

// stored is the lower half: what the keyring said, then the file.
func (r Resolver) stored(key Key, kept Token, keyringErr error) (Token, error) {
	var unreachable *KeyringError
	if !errors.Is(keyringErr, ErrNotFound) && !errors.As(keyringErr, &unreachable) {
		return kept, keyringErr
	}
	token, err := r.fromFile(key)
	if !errors.Is(err, ErrNotFound) {
		return token, err
	}
	if unreachable != nil {
		return Token{}, unreachable
	}
	return Token{}, ErrNoToken
}

// Store stores token under key and says where: in the keyring, read back after
// the write, or with insecure in the token file. It never takes the other by
// itself. An entry of the same key in the other place is removed; when that
// fails the result is the Source together with a *LeftoverError, and the token
// is stored. Any other error comes with an empty Source; after ReasonTimeout the
// keyring may still keep the token as long as the process lives.
func (r Resolver) Store(ctx context.Context, key Key, token string, insecure bool) (Source, error) {
	if err := Validate(token); err != nil {
		return "", err
	}
	user, err := key.user()
	if err != nil {
		return "", err
	}
	if !insecure {
		if err := r.setKeyring(ctx, user, token); err != nil {
			return "", err
		}
		if _, err := r.deleteFromFile(key); err != nil {
			return SourceKeyring, &LeftoverError{SourceFile, err}
		}
		return SourceKeyring, nil
	}
	if r.File == "" {
		return "", errors.New("there is no path for a token file")
	}
	if err := r.setFile(key, token); err != nil {
		return "", err
	}
	if _, err := r.deleteFromKeyring(ctx, user); err != nil && !isAbsent(err) {
		return SourceFile, &LeftoverError{SourceKeyring, err}
	}
	return SourceFile, nil
}

// Delete removes the token of key from the keyring and the file and says from
// which. A missing entry is no error. The Sources are valid together with an error too.
// A machine without a keyring is an error only when the file had nothing either,
// because then nothing is known about the token.
func (r Resolver) Delete(ctx context.Context, key Key) ([]Source, error) {
	user, err := key.user()
	if err != nil {
		return nil, err
	}
	var from []Source
	deleted, keyringErr := r.deleteFromKeyring(ctx, user)
	if deleted {
		from = append(from, SourceKeyring)
	}
	deleted, fileErr := r.deleteFromFile(key)
	if deleted {
		from = append(from, SourceFile)
		if isAbsent(keyringErr) {
			keyringErr = nil
		}
	}
	return from, errors.Join(keyringErr, fileErr)
}

// LeftoverError says that a token was stored, and that an older one of the same
// key may remain elsewhere. It is a warning.
type LeftoverError struct {
	Source Source // where the older token may be
	Err    error
}

// Error names the place and why it could not be cleared.
func (e *LeftoverError) Error() string {
	return fmt.Sprintf("an older token may remain in the %s: %v", e.Source, e.Err)
}

// Unwrap gives the reason.
func (e *LeftoverError) Unwrap() error { return e.Err }
