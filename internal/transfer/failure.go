package transfer

import (
	"fmt"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// UnknownFormatError is a format that hobnob does not have.
type UnknownFormatError struct {
	Name  string   // or the extension of Path
	Path  string   // empty when the format was named
	Known []string // names
}

func (e *UnknownFormatError) Error() string {
	text := fmt.Sprintf("there is no format %q", e.Name)
	if e.Path != "" {
		return e.Path + ": " + text
	}
	return text
}

// Failure implements failure.Explainer.
func (e *UnknownFormatError) Failure() failure.Failure {
	hint := "formats: "
	if e.Path != "" {
		hint = "choose one with --format: "
	}
	return failure.Failure{Kind: failure.Usage, Hint: failure.Plain(hint + strings.Join(e.Known, ", "))}
}

// ExistsError is a path where an export writes nothing.
type ExistsError struct {
	Path      string
	Irregular bool // it is no regular file and cannot be replaced
}

func (e *ExistsError) Error() string {
	if e.Irregular {
		return fmt.Sprintf("%s is no file that can be replaced", e.Path)
	}
	return fmt.Sprintf("%s exists", e.Path)
}

// Failure implements failure.Explainer.
func (e *ExistsError) Failure() failure.Failure {
	hint := "choose another name with -o"
	if !e.Irregular {
		hint += ", or replace it with --force"
	}
	return failure.Failure{Kind: failure.Other, Hint: failure.Plain(hint)}
}

// OpenError is a file to import that cannot be opened.
type OpenError struct {
	Directory bool
	Err       error
}

func (e *OpenError) Error() string { return e.Err.Error() }
func (e *OpenError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *OpenError) Failure() failure.Failure {
	hint := "name a file that can be read, or - for stdin"
	if e.Directory {
		hint = "name the files in it that are to be imported"
	}
	return failure.Failure{Kind: failure.Usage, Hint: failure.Plain(hint)}
}

// SourceError is a file that cannot be imported. Nothing of it was.
type SourceError struct {
	Name     string
	Format   string
	Detected bool // the format was not named but detected
	Err      error
}

func (e *SourceError) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *SourceError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *SourceError) Failure() failure.Failure {
	f := failure.Of(e.Err)
	if e.Detected {
		f.Hint = failure.Hintf("nothing of this file was imported; it was taken for one of %s, which --format can change", e.Format)
	}
	return f
}
