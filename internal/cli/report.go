package cli

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Explain returns the report of an error for printing.
func (p *Printer) Explain(err error) failure.Report { return failure.NewReport(err, p.selected()) }

// errorDocument is an error as printed with --json.
type errorDocument struct {
	Error   failure.Report `json:"error"`
	Version int            `json:"version"`
}

// Report prints an error and returns its exit code. It prints each of failure.Errors,
// except as JSON, which is one document.
func (p *Printer) Report(err error) int {
	if several, ok := err.(failure.Errors); ok && !p.flags.JSON { //nolint:errorlint // if wrapped, it is one error
		code := p.Report(several[0])
		for _, err := range several[1:] {
			p.Report(err)
		}
		return code
	}
	report := p.Explain(err)
	if errors.Is(err, syscall.EPIPE) {
		return report.Exit // the reader of the output exited, for example head
	}
	if p.flags.JSON {
		_ = WriteJSON(p.IO.Err, errorDocument{report, JSONVersion}, false)
		return report.Exit
	}
	fmt.Fprintf(p.IO.Err, "hobnob: error: %s\n", p.IO.CleanLine(report.Message))
	if report.Hint != "" {
		fmt.Fprintf(p.IO.Err, "hobnob: hint: %s\n", p.IO.CleanLine(report.Hint))
	}
	var bug *BugError
	if errors.As(err, &bug) && p.flags.Verbose {
		fmt.Fprintf(p.IO.Err, "%s\n", terminal.Clean(string(bug.Stack)))
	}
	return report.Exit
}

// BugError is a panic. It does not include its value, which may contain the user's
// text.
type BugError struct {
	Type  string // of the panic's value
	Stack []byte
}

func (e *BugError) Error() string { return "internal error: " + e.Type }

// Failure implements failure.Explainer.
func (e *BugError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Internal, Hint: failure.Plain("run the command again with --verbose and report the stack trace; the question is in the history")}
}

// SignalError is the cause of a context cancelled by a signal.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

// InterruptedError is an error caused by a signal.
type InterruptedError struct {
	Signal *SignalError
	Err    error
}

// kind returns the kind of failure of the signal.
func (e *InterruptedError) kind() failure.Kind {
	switch e.Signal.Signal {
	case syscall.SIGTERM:
		return failure.Terminated
	case syscall.SIGHUP:
		return failure.HungUp
	}
	return failure.Interrupted
}

func (e *InterruptedError) Error() string {
	text := e.kind().Help()
	if effect := failure.Of(e.Err).Effect; effect != "" {
		text += "; " + effect
	}
	return text
}

// Unwrap returns the error that the signal caused.
func (e *InterruptedError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer. It drops the hint of the error, unless another
// process is still waiting for the reply.
func (e *InterruptedError) Failure() failure.Failure {
	f := failure.Of(e.Err)
	f.Kind = e.kind()
	if !f.GoesOn {
		f.Hint, f.Again = failure.Hint{}, failure.Hint{}
	}
	return f
}
