// Package failure describes errors to the user: their kind, the resulting exit code,
// and a hint about the next step. An error type supplies its own Failure. This
// package prints nothing and must not import packages of hobnob other than shell.
package failure

import (
	"errors"
	"fmt"
)

// Failure describes an error to the user.
type Failure struct {
	Kind Kind
	Hint Hint
	// Again is the command that sends the question again, if Hint does not include
	// it. The interactive chat has its own command for that.
	Again Hint
	// Status is the HTTP status of the service's response, or 0.
	Status int

	// The question that failed, empty if it is not in the history.
	Conversation, Turn string
	State              string // of the turn
	// Effect is the state that a signal leaves behind, such as "nothing was stored".
	// It may be empty.
	Effect string
	// GoesOn reports whether another process is still waiting for the reply. Hint
	// then shows how to wait for it too.
	GoesOn bool
}

// Explainer is an error that supplies its own Failure. If it wraps another error, it
// starts with Of(wrapped) and changes some fields.
type Explainer interface {
	error
	Failure() Failure
}

// Of returns the Failure of the outermost Explainer in the tree of err, or one of
// kind Other if there is none.
func Of(err error) Failure {
	var explainer Explainer
	if errors.As(err, &explainer) {
		return explainer.Failure()
	}
	return Failure{Kind: Other}
}

// Error is an error with a Failure, for errors without their own type.
type Error struct {
	text    string
	err     error // wrapped, or nil
	failure Failure
}

// Error returns the message.
func (e *Error) Error() string { return e.text }

// Unwrap returns the wrapped error or nil.
func (e *Error) Unwrap() error { return e.err }

// Failure returns the Failure of the error.
func (e *Error) Failure() Failure { return e.failure }

// New returns an error of the given kind.
func New(kind Kind, hint Hint, text string) *Error {
	return &Error{text: text, failure: Failure{Kind: kind, Hint: hint}}
}

// Usagef returns an error of kind Usage with a plain hint.
func Usagef(hint, format string, args ...any) *Error {
	return New(Usage, Plain(hint), fmt.Sprintf(format, args...))
}

// WithHint returns err with another hint. Everything else stays the same.
func WithHint(err error, format string, args ...any) *Error {
	f := Of(err)
	f.Hint, f.Again = Hintf(format, args...), Hint{}
	return &Error{text: err.Error(), err: err, failure: f}
}
