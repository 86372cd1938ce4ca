package credential

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/oauth"
)

// MaxLength is the maximum length of a token in bytes, a common limit of servers for a
// header line.
const MaxLength = 8 << 10

// ErrInvalid is wrapped by every error of Validate.
var ErrInvalid error = failure.New(failure.Auth, failure.Hintf("paste the token again with: %s", login()), "invalid token")

// Source is a place where a token is found or stored.
type Source string

// The sources, in the order in which Resolver.Token searches them.
const (
	SourceEnvironment Source = "environment"
	SourceCommand     Source = "command"
	SourceKeyring     Source = "keyring"
	SourceFile        Source = "file"
)

// Describe returns the source in words for the user, with the variable or setting that
// supplies the token.
func (s Source) Describe() string {
	switch s {
	case SourceEnvironment:
		return "environment (HOBNOB_TOKEN)"
	case SourceCommand:
		return "command (token_command)"
	case SourceFile:
		return "file (readable only by you)"
	}
	return string(s)
}

const mask = "***"

// Token is a secret. Only Reveal returns it; all formatted output is "***".
type Token struct {
	// A pointer, because fmt cannot call the methods of an unexported field in a
	// caller's struct. It then prints the address instead of the secret.
	secret *string
	source Source
	expiry time.Time // zero if unknown
	until  time.Time // when it is read again; zero: when the service refuses it
	login  *hidden   // nil for a token without an issuer
}

// hidden is a grant behind two pointers, because fmt prints what one points to for verbs
// such as %q.
type hidden struct{ grant *oauth.Grant }

// Passed returns a token that another process found in source, or the zero Token if the
// secret is empty.
func Passed(secret string, source Source) (Token, error) {
	if secret == "" {
		return Token{}, nil
	}
	return newToken(secret, source)
}

func newToken(secret string, source Source) (Token, error) {
	if err := Validate(secret); err != nil {
		return Token{}, fmt.Errorf("token from the %s: %w", source, err)
	}
	return Token{secret: &secret, source: source}, nil
}

// Reveal returns the token itself, to be used only in the Authorization header. It
// returns "" for the zero Token.
func (t Token) Reveal() string {
	if t.secret == nil {
		return ""
	}
	return *t.secret
}

// Source returns the place where the token was found, or "" for the zero Token.
func (t Token) Source() Source { return t.source }

// Expiry returns when the token expires, or zero if that is unknown.
func (t Token) Expiry() time.Time { return t.expiry }

// String returns "***".
func (Token) String() string { return mask }

// GoString returns "***".
func (Token) GoString() string { return mask }

// Format writes "***" for every verb; verbs such as %d do not call String.
func (Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// MarshalText returns "***".
func (Token) MarshalText() ([]byte, error) { return []byte(mask), nil }

// MarshalJSON returns "***" as a JSON string.
func (Token) MarshalJSON() ([]byte, error) { return []byte(`"` + mask + `"`), nil }

// LogValue returns "***".
func (Token) LogValue() slog.Value { return slog.StringValue(mask) }

// Trim removes the characters that a paste or a pipe adds to a token: surrounding white
// space, and the byte order mark that PowerShell writes.
func Trim(token string) string {
	return strings.TrimSpace(strings.TrimPrefix(token, "\ufeff"))
}

// Validate returns an error unless token fits into an Authorization header: visible
// ASCII (RFC 9110 §5.5, without spaces), not empty, and not longer than MaxLength. The
// error wraps ErrInvalid and does not contain the token.
func Validate(token string) error {
	switch {
	case token == "":
		return fmt.Errorf("%w: empty", ErrInvalid)
	case len(token) > MaxLength:
		return fmt.Errorf("%w: longer than %d bytes", ErrInvalid, MaxLength)
	case len(token) > 7 && strings.EqualFold(token[:7], "bearer "):
		return fmt.Errorf(`%w: "Bearer" is not part of the token`, ErrInvalid)
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return fmt.Errorf("%w: byte %d of %d is not a visible ASCII character", ErrInvalid, i+1, len(token))
		}
	}
	return nil
}
