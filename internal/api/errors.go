package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Error is the failure of an operation that was started. Errors of other types
// occur earlier, before anything is sent.
type Error struct {
	// Kind is the outcome of the request: NotSent if no connection was
	// established in time; Unknown if a connection carried the request and then
	// failed, timed out or answered 5xx other than 503; Auth for 401, 403 and a
	// token that is not valid in a header; Limited for 429 and 503; Refused for
	// any other status that is not 2xx; Broken for 2xx with an invalid reply or
	// listing; Interrupted if the caller's context ended, with its cause in Err.
	Kind failure.Kind
	// Op is the method and the address, as in "POST https://host/api/v1/chat".
	Op string
	// Status is the HTTP status, 0 if there was no response.
	Status int
	// Message is the text of the service: valid UTF-8 of at most 1,000 runes
	// without the token. It must be filtered before it is shown on a terminal.
	Message string
	// RetryAfter is the wait that the service asked for, at most a day; 0 if it
	// asked for none.
	RetryAfter time.Duration
	// Postponed reports whether the service refused the request for now and asked to
	// send it again after RetryAfter.
	Postponed bool
	// MaybeAccepted is false only if the service certainly did not accept the
	// request, so that it may be retried.
	MaybeAccepted bool
	// Body is the received part of an invalid or truncated 2xx body, at most
	// MaxReply bytes, with the token masked.
	Body []byte
	// Err is the cause, nil if the status is the cause.
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

// ConfigError is an invalid setting or argument, found before connecting. Its text
// never contains a secret.
type ConfigError struct {
	// Setting is the name of the invalid setting: base_url, conversations_path, ca_file,
	// timeout, limit, agent, messages or id.
	Setting string
	Err     error
}

// Error returns the text, which names the setting.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }
