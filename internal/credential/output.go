package credential

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// maxOutput is the maximum number of bytes that are read of a command's output: a
	// token of MaxLength with other fields, such as an ID token.
	maxOutput = 64 << 10
	// early is the time before its expiry at which a token is no longer used, because
	// a request takes time and clocks differ.
	early = 10 * time.Second
	// maxLifetime limits the lifetime in an answer, which may be any number.
	maxLifetime = 365 * 24 * time.Hour
)

// The fields of a token and of its expiry, in order of preference. They are those of
// OAuth 2.0 (RFC 6749, section 5.1), of an ExecCredential of Kubernetes, and of the
// command-line clients of Azure, Google Cloud and AWS.
var (
	containers   = []string{"status", "credential"}
	tokenFields  = []string{"access_token", "accessToken", "token", "authorizationToken"}
	expiryFields = []string{"expires_on", "expires_at", "expiresAt", "expiresOn", "expiry", "token_expiry", "expiration", "expirationTimestamp"}
)

// parseOutput returns the token in the output of the token command: its first line or,
// if the output is a JSON object, one of its fields. Errors do not contain the output.
func parseOutput(output string, now time.Time) (Token, error) {
	if !strings.HasPrefix(Trim(output), "{") {
		line, _, _ := strings.Cut(output, "\n")
		return newToken(Trim(line), SourceCommand)
	}
	fields, err := objectOf([]byte(Trim(output)))
	if err != nil {
		if len(output) == maxOutput {
			err = fmt.Errorf("the output is larger than %d KiB", maxOutput>>10)
		}
		return Token{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for _, name := range containers {
		if inner, err := objectOf(fields[name]); err == nil && textOf(inner, tokenFields) != "" {
			fields = inner
			break
		}
	}
	secret := textOf(fields, tokenFields)
	if secret == "" {
		return Token{}, fmt.Errorf("%w: the JSON output has no access_token or token", ErrInvalid)
	}
	token, err := newToken(secret, SourceCommand)
	if err == nil {
		if token.expiry = expiryOf(fields, now); !token.expiry.IsZero() {
			token.until = token.expiry.Add(-early)
		}
	}
	return token, err
}

// objectOf returns the fields of a JSON object. Unlike a struct, a map distinguishes
// upper and lower case. It does not return errors of encoding/json, because they may
// quote the content.
func objectOf(data []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("the output is not valid JSON (byte %d)", syntax.Offset)
		}
		return nil, errors.New("the output is not a JSON object")
	}
	return fields, nil
}

// textOf returns the first of the fields that is a string and not empty.
func textOf(fields map[string]json.RawMessage, names []string) string {
	for _, name := range names {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// expiryOf returns the time when a token with these fields expires, or the zero time if
// they contain no valid expiry.
func expiryOf(fields map[string]json.RawMessage, now time.Time) time.Time {
	// Without the monotonic clock, which may stop while the machine sleeps.
	now = now.Round(0)
	for _, name := range expiryFields {
		if at, ok := timeOf(fields[name]); ok {
			return at
		}
	}
	if lifetime, ok := secondsOf(fields["expires_in"]); ok {
		return now.Add(min(lifetime, maxLifetime))
	}
	return time.Time{}
}

// timeOf returns a point in time: seconds since 1970, RFC 3339, or a local time without
// a zone as printed by Azure.
func timeOf(value json.RawMessage) (time.Time, bool) {
	if seconds, ok := secondsOf(value); ok {
		return time.Unix(0, 0).Add(seconds), true
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return time.Time{}, false
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	at, err := time.ParseInLocation(time.DateTime, text, time.Local)
	return at, err == nil
}

// secondsOf returns a number of seconds, which may be in a string.
func secondsOf(value json.RawMessage) (time.Duration, bool) {
	text := strings.Trim(string(value), `"`)
	seconds, err := strconv.ParseFloat(text, 64)
	// Other numbers, such as a time in milliseconds or NaN, do not fit into a Duration.
	if err != nil || !(seconds > -1e9 && seconds < 9e9) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}
