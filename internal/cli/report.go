package cli

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Explain returns the message of an error and its hint, ready to be printed.
func (p *Printer) Explain(err error) failure.Report { return failure.NewReport(err, p.selected()) }

// Report prints an error and returns its exit code.
func (p *Printer) Report(err error) int {
	report := p.Explain(err)
	if errors.Is(err, syscall.EPIPE) {
		return report.Exit // the reader of the output has gone, and knows it
	}
	if p.flags.JSON {
		_ = WriteJSON(p.IO.Err, map[string]failure.Report{"error": report}, false)
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

// BugError is a panic. Its value stays out, because it can hold what a user wrote.
type BugError struct {
	Type  string // of the value
	Stack []byte
}

func (e *BugError) Error() string { return "hobnob has a bug and stopped: " + e.Type }

// Failure implements failure.Explainer.
func (e *BugError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Internal, Hint: failure.Plain("what was asked is in the history; run it with --verbose and report the trace")}
}

// SignalError is the cause of a context that a signal ended.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

// InterruptedError is an error that a signal caused.
type InterruptedError struct {
	Signal *SignalError
	Err    error
}

// what returns the kind of failure that the signal is, and its words.
func (e *InterruptedError) what() (failure.Kind, string) {
	switch e.Signal.Signal {
	case syscall.SIGTERM:
		return failure.Terminated, "stopped by SIGTERM"
	case syscall.SIGHUP:
		return failure.HungUp, "stopped because the terminal was closed"
	}
	return failure.Interrupted, "stopped by Ctrl-C"
}

func (e *InterruptedError) Error() string {
	_, text := e.what()
	if effect := failure.Of(e.Err).Effect; effect != "" {
		text += "; " + effect
	}
	return text
}

// Unwrap returns what the signal caused.
func (e *InterruptedError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer. The hint of what was interrupted stays
// only for a question that goes on without this process.
func (e *InterruptedError) Failure() failure.Failure {
	f := failure.Of(e.Err)
	f.Kind, _ = e.what()
	if !f.GoesOn {
		f.Hint = failure.Hint{}
	}
	return f
}
