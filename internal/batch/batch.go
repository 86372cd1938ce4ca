// Package batch asks many questions: it reads rows of JSON, sends them concurrently and
// writes one row of JSON for each. It owns the journal that makes a batch resumable, so
// that no row is sent twice, whatever stops it. It does not depend on flags or HTTP.
package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/time/rate"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/secrets"
)

// Batch is one run over an input.
type Batch struct {
	Input     *Input
	Shard     Shard
	Questions *Questions
	Client    chat.Sender // without retries
	Guard     secrets.Guard
	// Save, if not nil, records the rows in its history.
	Save *chat.Asker

	// Output is the name of the output file, or empty for stdout.
	Output  string
	Resume  Resume
	Ordered bool // write results in the order of the input

	Pace     Pace
	Retries  int  // of a row that was certainly not accepted
	FailFast bool // stop taking rows after the first failure

	Print *cli.Printer
	// Again is the command that continues the batch, or empty if none can.
	Again string
}

// gcPercent is GOGC of a run, unless the user sets it. It saves 5 µs of CPU time a row and
// needs 3 MiB more than the default.
const gcPercent = 150

// Stats counts rows.
type Stats struct {
	Answered, Failed, Unknown, Malformed int
	Earlier                              int // answered by an earlier run
}

// unanswered returns the number of rows without an answer.
func (s Stats) unanswered() int { return s.Failed + s.Unknown + s.Malformed }

// String lists the counts, as in "98 answered, 2 failed".
func (s Stats) String() string {
	parts := []string{fmt.Sprintf("%d answered", s.Answered)}
	for _, part := range []struct {
		n    int
		text string
	}{
		{s.Failed, "failed"}, {s.Unknown, "with an unknown outcome"}, {s.Malformed, "malformed"}, {s.Earlier, "answered earlier"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	return strings.Join(parts, ", ")
}

// Run runs the batch. The first signal stops it from taking rows, and the second cancels
// those in flight. It returns nil if all rows are answered. If some are not, the error is
// of kind failure.Rows.
func (b *Batch) Run(ctx context.Context) error {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	seen, err := newIndex(ctx)
	if err != nil {
		return err
	}
	defer seen.close()
	out, err := b.open(ctx, seen)
	if err != nil {
		return err
	}
	if !out.resumable() {
		b.Again = ""
	}
	r := newRun(ctx, b, out, seen)
	err = r.all()
	err = errors.Join(err, out.close(r.isDone()))
	stats := r.count()
	if err == nil && stats.unanswered() > 0 {
		return b.rowsError(stats)
	}
	b.Print.Note("%s", stats)
	return b.explain(err)
}

func (b *Batch) open(ctx context.Context, seen *index) (*Output, error) {
	if b.Output == "" {
		return &Output{stream: stdout{b.Print}}, nil
	}
	if b.Input.is(b.Output) {
		return nil, failure.Usagef("write to another file", "%s is the input and the output", b.Output)
	}
	out, recovered, err := openOutput(ctx, b.Output, b.Shard.String(), b.slots(), b.Resume, seen)
	if err == nil && b.Resume.On {
		b.Print.Note("resuming %s: %s", b.Output, recovered)
	}
	return out, err
}

// slots returns the maximum number of rows that are taken and not written yet. With
// Ordered, some of them wait for a slower row before them.
func (b *Batch) slots() int {
	if b.Ordered {
		return orderedSlots * b.Pace.Concurrency
	}
	return b.Pace.Concurrency
}

const orderedSlots = 4

// rowsError returns the error of a run that some rows have no answer.
func (b *Batch) rowsError(s Stats) error {
	hint := ""
	switch {
	case b.Again == "":
	case s.Failed > 0:
		hint = "to retry failed rows: " + b.Again
	case s.Malformed > 0:
		hint = "correct malformed rows in the input, then: " + b.Again
	default:
		hint = "to send rows with an unknown outcome again: " + b.Again + " --resend-unknown"
	}
	return failure.New(failure.Rows, failure.Plain(hint), fmt.Sprintf("%s without an answer: %s", plural.Count(s.unanswered(), "row"), s))
}

// explain adds how to go on to an error of the run.
func (b *Batch) explain(err error) error {
	if err == nil {
		return nil
	}
	if hint := failure.Of(err).Hint; !hint.IsZero() {
		return failure.WithHint(err, "%s; %s", hint, b.goOn())
	}
	return failure.WithHint(err, "%s", b.goOn())
}

// goOn returns how to continue the batch.
func (b *Batch) goOn() string {
	if b.Again == "" {
		return "to be able to continue a batch, write it to a file: -o FILE"
	}
	return "to go on: " + b.Again
}

// Pace is how fast rows are sent.
type Pace struct {
	Concurrency int        // maximum number of requests in flight
	Rate        rate.Limit // maximum number of requests per second
}
