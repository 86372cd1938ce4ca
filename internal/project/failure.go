package project

import (
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// UntrustedError reports a directory that the user does not trust. Change is what
// changed since the user did, or "".
type UntrustedError struct{ Dir, Change string }

func (e *UntrustedError) Error() string {
	if e.Change != "" {
		return "not trusted: " + e.Change
	}
	return "not trusted"
}

// Failure implements failure.Explainer.
func (e *UntrustedError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("to use it: hobnob trust")}
}

// UnsafeError reports a project file that other users can write.
type UnsafeError struct {
	Path    string
	Problem access.Problem
}

func (e *UnsafeError) Error() string { return e.Problem.Detail }

// Failure implements failure.Explainer.
func (e *UnsafeError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("to fix it: " + e.Problem.Fix)}
}

// FileError reports an invalid project file.
type FileError struct {
	Path string
	Line int // 0 if the error is about the whole file
	Err  error
	Hint failure.Hint
}

func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("cannot read %s: %v", e.Path, failure.Reason(e.Err))
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *FileError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.Config, Hint: e.Hint}
	if f.Hint.IsZero() {
		f.Hint = failure.Plain("correct the file, or ignore it: HOBNOB_PROJECT=off")
	}
	if errors.As(e, new(*input.KindError)) {
		f.Hint = failure.Plain("remove it, or ignore it: HOBNOB_PROJECT=off")
	}
	return f
}

// ListError reports that the list of trusted directories cannot be read.
type ListError struct {
	Path string
	Err  error
}

func (e *ListError) Error() string {
	return fmt.Sprintf("cannot read %s: %v", e.Path, failure.Reason(e.Err))
}

// Unwrap returns the cause.
func (e *ListError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *ListError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("to trust no directory: rm " + shell.Quote(e.Path))}
}
