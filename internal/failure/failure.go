// Package failure says what an error means to the user: its kind, the exit code
// that follows from it, and a hint at the next step. An error type supplies its
// own Failure; this package knows none of them, prints nothing and imports
// nothing but the quoting of shell words.
package failure

import (
	"errors"
	"fmt"
)

// Failure is what an error means to the user.
type Failure struct {
	Kind Kind
	Hint Hint
	// Status is the HTTP status that the service answered with, 0 if none.
	Status int

	// The question that failed, empty when it is not in the history.
	Conversation, Turn string
	State              string // of that turn
	// Effect is what a signal leaves behind that causes the error, as in
	// "nothing was stored". Empty when there is nothing to say.
	Effect string
	// GoesOn says that the question is not over: another process waits for its
	// answer, and Hint says how to wait with it.
	GoesOn bool
}

// Explainer is an error that supplies its own Failure. One that wraps another
// starts from Of(wrapped) and changes what it knows better.
type Explainer interface {
	error
	Failure() Failure
}

// Of returns the Failure of the outermost Explainer in the tree of err, and one
// of kind Other when there is none.
func Of(err error) Failure {
	var explainer Explainer
	if errors.As(err, &explainer) {
		return explainer.Failure()
	}
	return Failure{Kind: Other}
}

// Error is an error with a Failure of its own, for what needs no type.
type Error struct {
	text    string
	err     error // wrapped, or nil
	failure Failure
}

// Error returns the text.
func (e *Error) Error() string { return e.text }

// Unwrap returns the wrapped error, nil if there is none.
func (e *Error) Unwrap() error { return e.err }

// Failure returns what was given to the constructor.
func (e *Error) Failure() Failure { return e.failure }

// New returns an error of a kind.
func New(kind Kind, hint Hint, text string) *Error {
	return &Error{text: text, failure: Failure{Kind: kind, Hint: hint}}
}

// Usagef returns an error of kind Usage with a plain hint.
func Usagef(hint, format string, args ...any) *Error {
	return New(Usage, Plain(hint), fmt.Sprintf(format, args...))
}

// WithHint returns err with another hint; all else about it stays.
func WithHint(err error, format string, args ...any) *Error {
	f := Of(err)
	f.Hint = Hintf(format, args...)
	return &Error{text: err.Error(), err: err, failure: f}
}
