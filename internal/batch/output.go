package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Output is where the results of a batch go: a stream, such as stdout, or a regular file
// with a journal. Its methods are safe for concurrent use, except for write.
type Output struct {
	name    string // as the user named it; "" for stdout
	stream  io.Writer
	file    *os.File // nil for a stream
	size    int64    // of file
	lines   []byte   // buffer for write
	sending *sending // nil for a stream
}

// Recovered counts the rows of an output that is resumed.
type Recovered struct {
	Answered int
	Unknown  int // rows with an unknown outcome, which are not sent again
	Again    int // failed and malformed rows, and unknown rows to resend
}

// String lists the counts.
func (r Recovered) String() string {
	text := fmt.Sprintf("%d answered", r.Answered)
	if r.Again > 0 {
		text += fmt.Sprintf(", %d to send again", r.Again)
	}
	if r.Unknown > 0 {
		text += fmt.Sprintf(", %d with an unknown outcome", r.Unknown)
	}
	return text
}

// Resume selects how a batch continues an output.
type Resume struct {
	On      bool // continue an existing output
	Unknown bool // send rows with an unknown outcome again
}

// stdout writes rows, or with --jq the results for each of them.
type stdout struct{ *cli.Printer }

func (s stdout) Write(line []byte) (int, error) {
	if err := s.Row(line); err != nil {
		return 0, err
	}
	return len(line), nil
}

// openOutput opens the output file with this name for rows of a shard. A device or a pipe
// is a stream. It adds the ids that are not sent again to seen. The file and its journal
// are locked until the output is closed.
func openOutput(ctx context.Context, name, shard string, slots int, resume Resume, seen *index) (*Output, Recovered, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		out, err := openStream(ctx, name, info, resume)
		return out, Recovered{}, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, Recovered{}, outputError(name, err)
	}
	path, err := atomicfile.Target(name)
	if err != nil {
		return nil, Recovered{}, outputError(name, err)
	}
	out := &Output{name: name}
	if out.sending, err = lockSending(path); err != nil {
		return nil, Recovered{}, err
	}
	recovered, err := out.open(ctx, path, shard, slots, resume, seen)
	if err != nil {
		ids, rerr := out.sending.ids()
		_ = out.close(rerr == nil && len(ids) == 0)
		return nil, recovered, err
	}
	return out, recovered, nil
}

// open opens the file of a locked output.
func (o *Output) open(ctx context.Context, path, shard string, slots int, resume Resume, seen *index) (recovered Recovered, err error) {
	inFlight, err := o.sending.ids()
	if err != nil {
		return recovered, err
	}
	info, err := os.Stat(path)
	exists := err == nil && info.Size() > 0
	if (exists || len(inFlight) > 0) && !resume.On {
		return recovered, failure.Usagef("to continue that run, pass --resume; to start again, remove the file or choose another one", "%s has the rows of an earlier run", o.name)
	}
	if exists {
		if recovered, err = recoverOutput(ctx, o.name, path, shard, resume, seen); err != nil {
			return recovered, err
		}
	}
	if o.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return recovered, outputError(o.name, err)
	}
	if info, err = o.file.Stat(); err != nil {
		return recovered, outputError(o.name, err)
	}
	o.size = info.Size()
	if !resume.Unknown {
		n, err := o.recordUnknown(ctx, inFlight, shard, seen)
		recovered.Unknown += n
		if err != nil {
			return recovered, err
		}
	}
	if err = o.sending.reset(slots); err != nil {
		return recovered, outputError(o.sending.path, err)
	}
	return recovered, nil
}

// openStream opens an output that is not a regular file.
func openStream(ctx context.Context, name string, info fs.FileInfo, resume Resume) (*Output, error) {
	switch {
	case info.IsDir():
		return nil, failure.Usagef("pass the name of a file: -o answers.jsonl", "%s is a directory", name)
	case resume.On:
		return nil, failure.Usagef("pass the output file of the earlier run", "cannot resume %s: %v", name, &input.KindError{Mode: info.Mode()})
	}
	// A named pipe opens when another process reads it.
	stream, err := input.Await(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0) })
	if err != nil {
		return nil, outputError(name, err)
	}
	return &Output{name: name, stream: stream}, nil
}

// recordUnknown adds rows for ids that were in flight when an earlier run was killed.
func (o *Output) recordUnknown(ctx context.Context, ids []string, shard string, seen *index) (n int, err error) {
	for _, id := range ids {
		if known, err := seen.has(ctx, id); err != nil || known {
			if err != nil {
				return n, err
			}
			continue
		}
		report := failure.Report{
			Code: failure.Unknown.String(), Exit: failure.Unknown.Exit(), State: stateUnknown,
			Message: "hobnob was stopped while the row was in flight; the service may have accepted the question",
			Hint:    "to send it again, resume the batch with --resend-unknown",
		}
		line, err := (&Result{ID: &id, Error: &report, Shard: shard}).encode(nil)
		if err == nil {
			err = o.write([]finished{{line: line}})
		}
		if err != nil {
			return n, err
		}
		if _, _, err := seen.add(ctx, id, recordedUnknown); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// write appends the lines of jobs, which a file gets together. If they cannot be written
// completely, none of them is in the file.
func (o *Output) write(jobs []finished) error {
	if o.file == nil {
		for _, f := range jobs {
			if f.line == nil {
				continue
			}
			if _, err := o.stream.Write(f.line); err != nil {
				return o.streamError(err)
			}
		}
		return nil
	}
	lines := jobs[0].line
	if len(jobs) > 1 {
		o.lines = o.lines[:0]
		for _, f := range jobs {
			o.lines = append(o.lines, f.line...)
		}
		lines = o.lines
	}
	if len(lines) == 0 {
		return nil
	}
	n, err := o.file.Write(lines)
	if err != nil {
		if n > 0 {
			_ = o.file.Truncate(o.size) // otherwise resuming cuts it
		}
		return outputError(o.name, err)
	}
	o.size += int64(n)
	return nil
}

// streamError explains an error of the stream. Those of stdout name it already.
func (o *Output) streamError(err error) error {
	if o.name == "" {
		return err
	}
	return outputError(o.name, err)
}

// begin records that the row with this id is about to be sent. The slot is in use until
// the result of the row is written.
func (o *Output) begin(slot int, id string) error {
	if o.sending == nil {
		return nil
	}
	if err := o.sending.set(slot, id); err != nil {
		return outputError(o.sending.path, err)
	}
	return nil
}

// withdraw records that the row in the slot was certainly not accepted.
func (o *Output) withdraw(slot int) error { return o.begin(slot, "") }

// close closes the output. If done, no row is in flight, and the journal is removed.
func (o *Output) close(done bool) error {
	var errs []error
	if o.file != nil {
		errs = append(errs, o.file.Sync(), o.file.Close())
	} else if stream, ok := o.stream.(io.Closer); ok && o.name != "" {
		errs = append(errs, stream.Close())
	}
	if o.sending != nil {
		errs = append(errs, o.sending.close(done))
	}
	return errors.Join(errs...)
}

// resumable reports whether a later run can continue the output.
func (o *Output) resumable() bool { return o.sending != nil }

func outputError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", name, failure.Reason(err))
}
