package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Error is the failure of one operation after it was begun. Errors of other
// types come from before: nothing was sent then.
type Error struct {
	// Kind says what became of the request: NotSent without a connection in
	// time, Unknown when one carried the request and then failed, timed out or
	// answered 5xx other than 503, Auth for 401, 403 and a token that no header
	// can carry, Limited for 429 and 503, Refused for any other answer that is
	// not 2xx, Broken for 2xx with a body that is no valid reply or listing,
	// Interrupted when the caller's context ended, with its cause in Err.
	Kind failure.Kind
	// Op is the method and the address, as in "POST https://host/api/v1/chat".
	Op string
	// Status is the HTTP status, 0 when there was no answer.
	Status int
	// Message is the service's own text: without the token, valid UTF-8, at
	// most 1,000 runes, and still hostile for a terminal.
	Message string
	// RetryAfter is what the service asked to wait, 0 when it did not ask.
	RetryAfter time.Duration
	// MaybeAccepted is false only when the service certainly did not take
	// the request, so that it may be sent again.
	MaybeAccepted bool
	// Body is what arrived of the body of a 2xx answer that was broken or cut
	// off, at most MaxReply bytes, with the token masked.
	Body []byte
	// Err is the cause, nil when the status says it all.
	Err error

	retry   bool
	refused func(status int) failure.Hint
}

// Error returns the operation, the status, the service's text and the cause.
func (e *Error) Error() string {
	parts := []string{e.Op}
	if e.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))))
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ConfigError is a mistake in a setting or an argument, found before anything
// was dialled. Its text never repeats a secret.
type ConfigError struct {
	// Setting names what is wrong: base_url, conversations_path, ca_file,
	// timeout, limit, agent, messages or id.
	Setting string
	Err     error
}

// Error returns the text of the mistake, which names the object itself.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }
