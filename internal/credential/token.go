package credential

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// MaxLength is the longest token, in bytes: what servers commonly allow for a
// whole header line.
const MaxLength = 8 << 10

// ErrInvalid is wrapped by every error of Validate.
var ErrInvalid error = failure.New(failure.Auth, failure.Hintf("paste the token again with: %s", login()), "not a usable token")

// Source says where a token came from or was put.
type Source string

// The sources, in the order in which Resolver.Token looks at them.
const (
	SourceEnvironment Source = "environment"
	SourceCommand     Source = "command"
	SourceKeyring     Source = "keyring"
	SourceFile        Source = "file"
)

// Describe returns the source as the user knows it, with the variable or the
// setting that gives the token.
func (s Source) Describe() string {
	switch s {
	case SourceEnvironment:
		return "environment (HOBNOB_TOKEN)"
	case SourceCommand:
		return "command (token_command)"
	case SourceFile:
		return "file (readable by you alone)"
	}
	return string(s)
}

const mask = "***"

// Token is a secret that prints as "***" by every road but Reveal.
type Token struct {
	// A pointer, because fmt cannot call the methods of an unexported field of
	// a caller's struct: it prints an address then, not the secret.
	secret *string
	source Source
}

func newToken(secret string, source Source) (Token, error) {
	if err := Validate(secret); err != nil {
		return Token{}, fmt.Errorf("token from the %s: %w", source, err)
	}
	return Token{&secret, source}, nil
}

// Reveal returns the token itself, for the Authorization header alone. The zero
// Token reveals "".
func (t Token) Reveal() string {
	if t.secret == nil {
		return ""
	}
	return *t.secret
}

// Source says where the token came from; "" for the zero Token.
func (t Token) Source() Source { return t.source }

// String returns "***".
func (Token) String() string { return mask }

// GoString returns "***".
func (Token) GoString() string { return mask }

// Format writes "***" for every verb; verbs such as %d would pass String by.
func (Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// MarshalText returns "***".
func (Token) MarshalText() ([]byte, error) { return []byte(mask), nil }

// MarshalJSON returns "***" as a JSON string.
func (Token) MarshalJSON() ([]byte, error) { return []byte(`"` + mask + `"`), nil }

// LogValue returns "***".
func (Token) LogValue() slog.Value { return slog.StringValue(mask) }

// Trim removes what a paste or a pipe puts around a token: white space, and the
// byte order mark that PowerShell writes first.
func Trim(token string) string {
	return strings.TrimSpace(strings.TrimPrefix(token, "\ufeff"))
}

// Validate reports whether token fits into an Authorization header: visible
// ASCII (RFC 9110 §5.5 without spaces), neither empty nor longer than MaxLength.
// The error wraps ErrInvalid and never shows the token.
func Validate(token string) error {
	switch {
	case token == "":
		return fmt.Errorf("%w: it is empty", ErrInvalid)
	case len(token) > MaxLength:
		return fmt.Errorf("%w: it is longer than %d bytes", ErrInvalid, MaxLength)
	case len(token) > 7 && strings.EqualFold(token[:7], "bearer "):
		return fmt.Errorf(`%w: it begins with the word "Bearer", which is no part of it`, ErrInvalid)
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return fmt.Errorf("%w: byte %d of %d is not a visible ASCII character", ErrInvalid, i+1, len(token))
		}
	}
	return nil
}
