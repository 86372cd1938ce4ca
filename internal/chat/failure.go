package chat

import (
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// JournalError means that the question was not sent, because it could not be recorded.
type JournalError struct{ Err error }

func (e *JournalError) Error() string { return fmt.Sprintf("nothing was sent: %v", e.Err) }

// Unwrap returns the error of the history.
func (e *JournalError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *JournalError) Failure() failure.Failure {
	f := failure.Of(e.Err)
	if f.Kind == failure.History || f.Kind == failure.Other {
		f.Kind, f.Hint = failure.History, orUnsaved(e.Err)
	}
	return f
}

// orUnsaved returns the hint for a question or an answer that could not be recorded.
func orUnsaved(err error) failure.Hint {
	return failure.Hintf("%s, or ask with --no-save", history.Hint(err))
}

// NotSavedError means that an answer was received but could not be recorded.
type NotSavedError struct {
	Err   error
	Shown bool // whether the reply was printed
}

func (e *NotSavedError) Error() string {
	if !e.Shown {
		return "the reply could not be shown or saved: " + e.Err.Error()
	}
	return "the reply was shown but could not be saved: " + e.Err.Error()
}

// Unwrap returns the error of the history.
func (e *NotSavedError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *NotSavedError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.NotSaved, Hint: failure.Hintf("copy the reply above; %s", orUnsaved(e.Err))}
}

// FailedError means that a question got no answer. It wraps the client's error.
type FailedError struct {
	State        history.State
	Conversation string // empty if nothing is saved
	Turn         string
	Err          error
	// RecordErr is the error of recording State, or nil.
	RecordErr error
}

func (e *FailedError) Error() string {
	if e.RecordErr != nil {
		return fmt.Sprintf("%v; its state could not be recorded: %v", e.Err, e.RecordErr)
	}
	return e.Err.Error()
}

// Unwrap returns the client's error.
func (e *FailedError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *FailedError) Failure() failure.Failure {
	var explainer failure.Explainer
	f := failure.Of(e.Err)
	if errors.As(e.Err, &explainer) {
		if remote, ok := explainer.(*api.Error); ok {
			f = remote.Explain(e.Turn != "")
		}
	}
	f.Conversation, f.Turn, f.State = e.Conversation, e.Turn, string(e.State)
	f.Effect = "the service did not accept the question"
	if e.State == history.Unknown {
		f.Effect = "the service may have accepted the question"
	}
	return f
}
