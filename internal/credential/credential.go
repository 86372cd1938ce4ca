// Package credential finds the token of a profile in the environment, a command, the
// system keyring or a private file, and stores it in one of the last two. No other
// package uses the keyring or the token file. This package does not depend on
// commands, flags, settings, HTTP or the terminal: the caller passes the profile and
// its origin.
//
// A stored token belongs to a profile and an origin, so a changed base URL does not
// receive it. There is no automatic fallback to plaintext: only Store with insecure
// set creates the token file.
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
	"github.com/hobnob-cli/hobnob/internal/oauth"
)

// ErrNoToken reports that all sources were searched and none has a token for the key.
var ErrNoToken error = failure.New(failure.Auth, failure.Hintf("store one with %s, or set HOBNOB_TOKEN", login()), "no token is stored")

// Key identifies a stored token. Both fields must match.
type Key struct {
	Profile string `json:"profile"` // name of the profile
	Origin  string `json:"origin"`  // scheme, host and port of its service, such as "https://chat.example.com"
}

// user returns the name of the entry in the keyring. It is unambiguous because an
// origin contains no spaces.
func (k Key) user() (string, error) {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case k.Profile == "" || !utf8.ValidString(k.Profile) || strings.ContainsFunc(k.Profile, unprintable):
		return "", fmt.Errorf("cannot store a token for profile %q: invalid name", k.Profile)
	case k.Origin == "" || !utf8.ValidString(k.Origin) || strings.ContainsFunc(k.Origin, unprintable) || strings.Contains(k.Origin, " "):
		return "", fmt.Errorf("cannot store a token for origin %q: invalid origin", k.Origin)
	}
	return k.Profile + " " + k.Origin, nil
}

// storedFor is the time for which a process uses a stored token before it reads it
// again. It is short, because another process may log in or out.
const storedFor = 10 * time.Second

// Resolver finds, stores and deletes tokens. The zero Resolver uses only the system
// keyring. Its formatted output never contains Environment.
type Resolver struct {
	Environment string   `json:"-"` // value of HOBNOB_TOKEN, or ""
	Command     []string // token_command, if the caller allows it for the key's origin; run without a shell
	Dir         string   // working directory of Command; "": that of the process
	Variables   []string `json:"-"` // environment of Command; nil: that of the process
	Untrusted   error    // reason not to run Command, or nil
	Keyring     Keyring  // nil: the system keyring
	File        string   // path of the token file, or ""
	LockDir     string   // directory of the locks for renewing logins
	// Refresh renews a login at its issuer. It is nil if the caller never uses a token.
	Refresh func(context.Context, oauth.Grant) (oauth.Grant, error)

	Stdin  *os.File  // terminal from which the command may read, or nil; never a pipe with a prompt
	Stderr io.Writer // receives the messages of the command; nil discards them

	limit time.Duration // replaces keyringLimit unless zero
}

// Format prints only the name of the type, because Environment is secret.
func (Resolver) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "credential.Resolver") }

// Token returns the token for key from the first source that has one:
// environment, command, keyring, file.
//
// A source that fails ends the search: a failing command returns a *CommandError, a
// token that does not fit into a header an error that wraps ErrInvalid, and a token
// file that is damaged or not private a *FileError. A failure of the keyring is
// ignored if the file has the token; otherwise it is returned as a *KeyringError.
// ErrNoToken means that all sources work and none has the token.
//
// A stored login whose token expires soon is renewed. If that fails after it has
// expired, the error is an *ExpiredError or a *RenewalError.
func (r Resolver) Token(ctx context.Context, key Key) (Token, error) {
	if token, err := r.given(ctx); err != nil || token.secret != nil {
		return token, err
	}
	token, err := r.lookup(ctx, key)
	if err == nil {
		token, err = renewal{r, key}.ifDue(ctx, token)
	}
	if err != nil {
		return Token{}, err
	}
	token.until = time.Now().Add(storedFor)
	if due := token.due(); !due.IsZero() && due.Before(token.until) {
		token.until = due
	}
	return token, nil
}

// Renew is like Token after the service refused a token; nothing was refused yet if that
// is the zero Token. A token from the environment cannot change; all other sources are
// read again, because the user may have logged in and a command may print a new token.
// If the token of a login was refused, the login is renewed. The result may be the same
// token.
func (r Resolver) Renew(ctx context.Context, key Key, refused Token) (Token, error) {
	if refused.source == SourceEnvironment {
		return refused, nil
	}
	token, err := r.Token(ctx, key)
	if err == nil && token.grant() != nil && token.Reveal() == refused.Reveal() {
		return renewal{r, key}.now(ctx, token)
	}
	return token, err
}

// Status is the result of Probe.
type Status struct {
	Token   Token // the token that would be used, with its Source; zero if Err is set
	Err     error // the error that Token would return
	Keyring error // nil if the keyring works, with or without the token; usually a *KeyringError
}

// Probe is like Token, but also checks the keyring if an earlier source has the
// token, and does not renew a login. It runs the command once.
func (r Resolver) Probe(ctx context.Context, key Key) Status {
	var s Status
	stored, keyringErr := r.fromKeyring(ctx, key)
	if !errors.Is(keyringErr, ErrNotFound) && !errors.Is(keyringErr, ErrInvalid) {
		s.Keyring = keyringErr
	}
	s.Token, s.Err = r.given(ctx)
	if s.Err == nil && s.Token.secret == nil {
		s.Token, s.Err = r.stored(key, stored, keyringErr)
	}
	return s
}

// given returns the token from the environment or the command, or the zero Token if
// neither is set.
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

// stored returns the token from the keyring, whose result the caller passes, or from
// the file.
func (r Resolver) stored(key Key, inKeyring Token, keyringErr error) (Token, error) {
	var unreachable *KeyringError
	if !errors.Is(keyringErr, ErrNotFound) && !errors.As(keyringErr, &unreachable) {
		return inKeyring, keyringErr
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

// Store stores token under key in the keyring or, with insecure, in the token file,
// and returns the place. It never falls back to the other one. It reads a token in the
// keyring back after the write. An entry of the same key in the other place is
// removed; if that fails, Store returns the Source and a *LeftoverError, and the token
// is stored. Any other error comes with an empty Source. After ReasonTimeout, the
// keyring may still store the token until the process exits.
func (r Resolver) Store(ctx context.Context, key Key, token string, insecure bool) (Source, error) {
	if err := Validate(token); err != nil {
		return "", err
	}
	return r.store(ctx, key, Token{secret: &token}, insecure)
}

func (r Resolver) store(ctx context.Context, key Key, token Token, insecure bool) (Source, error) {
	value, err := token.value()
	if err != nil {
		return "", err
	}
	user, err := key.user()
	if err != nil {
		return "", err
	}
	if !insecure {
		if err := r.setKeyring(ctx, user, value); err != nil {
			return "", err
		}
		if _, err := r.deleteFromFile(key); err != nil {
			return SourceKeyring, &LeftoverError{SourceFile, err}
		}
		return SourceKeyring, nil
	}
	if r.File == "" {
		return "", errors.New("no path for the token file")
	}
	if err := setFile(r.File, key, value); err != nil {
		return "", err
	}
	if _, err := r.deleteFromKeyring(ctx, user); err != nil && !IsAbsent(err) {
		return SourceFile, &LeftoverError{SourceKeyring, err}
	}
	return SourceFile, nil
}

// Delete removes the token of key from the keyring and the file, and returns the places
// that had one, even together with an error. A missing entry is not an error. A missing
// keyring is one only if the file had no entry either.
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
		if IsAbsent(keyringErr) {
			keyringErr = nil
		}
	}
	return from, errors.Join(keyringErr, fileErr)
}

// LeftoverError is a warning: a token was stored, but an older one of the same key may
// remain elsewhere.
type LeftoverError struct {
	Source Source // where the older token may be
	Err    error
}

// Error returns the place of the older token and the cause.
func (e *LeftoverError) Error() string {
	return fmt.Sprintf("an older token may remain in the %s: %v", e.Source, e.Err)
}

// Unwrap returns the cause.
func (e *LeftoverError) Unwrap() error { return e.Err }
