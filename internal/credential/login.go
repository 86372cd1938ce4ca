package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/oauth"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// loginPrefix begins a stored value that is a grant of an OAuth issuer, followed by its
// JSON. The space distinguishes it from every token.
const loginPrefix = "oauth "

// errLoginDamaged reports a stored login that is not in the format of encodeLogin.
var errLoginDamaged error = failure.New(failure.Auth, failure.Hintf("log in again: %s", login()), "the stored login is damaged")

// storedLogin is the JSON of a stored login. Version changes if an older hobnob could
// misunderstand it.
type storedLogin struct {
	Version int `json:"version"`
	oauth.Grant
}

func encodeLogin(grant oauth.Grant) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(storedLogin{1, grant}); err != nil {
		return "", err
	}
	return loginPrefix + strings.TrimSpace(out.String()), nil
}

// decodeLogin parses a stored value with loginPrefix. It does not return errors of
// encoding/json, because they may quote the content.
func decodeLogin(value string) (oauth.Grant, error) {
	var login storedLogin
	if err := json.Unmarshal([]byte(strings.TrimPrefix(value, loginPrefix)), &login); err != nil {
		return oauth.Grant{}, errLoginDamaged
	}
	switch {
	case login.Version > 1:
		return oauth.Grant{}, failure.New(failure.Auth, failure.Hintf("update hobnob, or log in again: %s", failure.Run("hobnob login")), "the stored login was written by a newer hobnob")
	case login.Version != 1 || login.Check(true) != nil:
		return oauth.Grant{}, errLoginDamaged
	}
	return login.Grant, nil
}

// parseStored returns the token of a value in the keyring or the file.
func parseStored(value string, source Source) (Token, error) {
	if !strings.HasPrefix(value, loginPrefix) {
		return newToken(value, source)
	}
	grant, err := decodeLogin(value)
	if err != nil {
		return Token{}, err
	}
	return loginToken(grant, source)
}

func loginToken(grant oauth.Grant, source Source) (Token, error) {
	token, err := newToken(grant.AccessToken, source)
	token.login, token.expiry = &hidden{&grant}, grant.Expiry
	return token, err
}

// grant returns the grant of a token with an issuer, or nil.
func (t Token) grant() *oauth.Grant {
	if t.login == nil {
		return nil
	}
	return t.login.grant
}

// value returns what is stored for the token.
func (t Token) value() (string, error) {
	if t.grant() != nil {
		return encodeLogin(*t.grant())
	}
	return t.Reveal(), nil
}

// Issuer returns the address of the OAuth issuer of the token, or "" if it was not
// obtained with a login at one.
func (t Token) Issuer() string {
	if t.grant() == nil {
		return ""
	}
	return t.grant().Issuer
}

// due returns the time from which the login should be renewed, or zero.
func (t Token) due() time.Time {
	if t.grant() == nil {
		return time.Time{}
	}
	return t.grant().Due()
}

// Renewable reports whether hobnob renews the token automatically.
func (t Token) Renewable() bool { return t.grant() != nil && t.grant().RefreshToken != "" }

// Describe returns the source of the token in words, with its issuer and when it expires.
func (t Token) Describe(now time.Time) string {
	text, left := t.source.Describe(), t.expiry.Sub(now)
	if t.grant() != nil {
		text += "; login at " + t.Issuer()
	}
	renewed := t.Renewable() || t.source == SourceCommand
	switch {
	case t.expiry.IsZero():
		return text
	case left > 0 && renewed:
		return text + "; valid for " + duration.Seconds(left) + ", then renewed"
	case left > 0:
		return text + "; valid for " + duration.Seconds(left) + ", not renewable"
	case t.Renewable():
		return text + "; renewed with the next question"
	case renewed:
		return text + "; expired"
	}
	return text + "; expired, not renewable"
}

// loginAgain returns the command that stores a new login where the token is.
func (t Token) loginAgain() failure.Command { return LoginCommand(*t.grant(), t.source == SourceFile) }

// LoginCommand returns the command that logs in at the issuer of grant again, with more
// words at its end.
func LoginCommand(grant oauth.Grant, insecure bool, more ...string) failure.Command {
	words := []string{"hobnob", "login", "--issuer", grant.Issuer, "--client-id", grant.ClientID}
	if grant.Scope != "" {
		words = append(words, "--scope", grant.Scope)
	}
	if grant.Audience != "" {
		words = append(words, "--audience", grant.Audience)
	}
	if insecure {
		words = append(words, "--insecure-storage")
	}
	words = append(words, more...)
	for i, word := range words {
		words[i] = shell.Word(word)
	}
	return failure.Run("%s", strings.Join(words, " "))
}

// ExpiredError reports that a login has expired and cannot be renewed.
type ExpiredError struct {
	issuer string
	again  failure.Command
	err    error // of the issuer, or nil if there is no refresh token
}

// Error names the issuer.
func (e *ExpiredError) Error() string {
	return "the login at " + e.issuer + " has expired"
}

// Unwrap returns the error of the issuer, or nil.
func (e *ExpiredError) Unwrap() error { return e.err }

// Failure implements failure.Explainer.
func (e *ExpiredError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Auth, Hint: failure.Hintf("log in again: %s", e.again)}
}

// RenewalError reports that a login could not be renewed. The stored login is unchanged,
// unless it wraps ErrNotStored.
type RenewalError struct {
	again failure.Command
	err   error
}

// ErrNotStored is wrapped by a RenewalError if the issuer has renewed a login that could
// not be stored. The stored login may have become invalid.
var ErrNotStored = errors.New("the new login could not be stored")

// Error names the cause.
func (e *RenewalError) Error() string { return "cannot renew the login: " + e.err.Error() }

// Unwrap returns the cause.
func (e *RenewalError) Unwrap() error { return e.err }

// Failure implements failure.Explainer. A new login helps unless the issuer or another
// process is the cause, or a file that the cause has a hint for.
func (e *RenewalError) Failure() failure.Failure {
	f := failure.Of(e.err)
	if f.Kind == failure.Auth || f.Hint.IsZero() {
		f.Kind, f.Hint = failure.Auth, failure.Hintf("log in again: %s", e.again)
	}
	return f
}
