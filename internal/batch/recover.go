package batch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

var errNotResult = errors.New("not a row of hobnob batch")

// maxResult is the maximum size of a row of the output: a reply of 16 MiB in which each
// byte is escaped, and its error or service fields.
const maxResult = 100 << 20

// recoverOutput prepares the output of an earlier run for the next one. It adds the ids
// of rows that are not sent again to seen, and removes all other rows, also an incomplete
// last one. It replaces the file in one step.
func recoverOutput(ctx context.Context, name, path, shard string, resume Resume, seen *index) (recovered Recovered, err error) {
	staying := func(r record) bool {
		return r.Outcome() == Answered || r.Outcome() == Unknown && !resume.Unknown
	}
	end, whole, err := readResults(path, func(r record) error {
		if r.Shard != shard {
			return shardError(name, r.Shard, shard)
		}
		if !staying(r) {
			recovered.Again++
			return nil
		}
		line := recordedAnswer
		if r.Outcome() == Unknown {
			line = recordedUnknown
			recovered.Unknown++
		} else {
			recovered.Answered++
		}
		if _, added, err := seen.add(ctx, *r.ID, line); err != nil {
			return err
		} else if !added {
			return failure.Usagef("remove one of the rows", "cannot resume %s: line %d repeats the id %q", name, r.number, *r.ID)
		}
		return ctx.Err()
	})
	var foreign *resultError
	switch {
	case errors.As(err, &foreign):
		return recovered, failure.Usagef("pass the output file of the earlier run, or correct the line", "cannot resume %s: %v", name, foreign)
	case err != nil:
		return recovered, err
	case recovered.Again == 0 && whole:
		return recovered, outputError(name, os.Truncate(path, end))
	}
	info, err := os.Stat(path)
	if err != nil {
		return recovered, readError(name, err)
	}
	err = atomicfile.Fill(path, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		_, _, err := readResults(path, func(r record) error {
			if !staying(r) {
				return ctx.Err()
			}
			_, err := out.Write(r.line)
			return err
		})
		return errors.Join(err, out.Flush())
	})
	if err == nil {
		err = os.Chmod(path, info.Mode().Perm())
	}
	return recovered, outputError(name, err)
}

// record is a row of an output and where it is.
type record struct {
	Result
	line   []byte // with a newline
	number int    // of the line
	start  int64
}

// readResults calls fn for each row of the output at path. End is the position after the
// last row. What follows it is a row that was cut. Whole reports whether the last row has
// a newline in the file.
func readResults(path string, fn func(record) error) (end int64, whole bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false, readError(path, err)
	}
	defer func() { _ = file.Close() }()
	return scanResults(path, file, fn)
}

// scanResults is readResults for an open output.
func scanResults(name string, file io.Reader, fn func(record) error) (end int64, whole bool, err error) {
	in := bufio.NewReaderSize(file, 256<<10)
	var buffer []byte
	for number := 1; ; number++ {
		line, err := readLine(in, buffer[:0])
		buffer = line
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return end, false, readError(name, err)
		}
		row := bytes.TrimSpace(line)
		if len(row) > 0 {
			result, err := decodeResult(row)
			switch {
			case err != nil && last:
				return end, true, nil
			case err != nil:
				return end, false, &resultError{number}
			case last:
				line = append(line, '\n')
			}
			if err := fn(record{result, line, number, end}); err != nil {
				return end, false, err
			}
		}
		if last {
			return end, len(row) == 0, nil
		}
		end += int64(len(line))
	}
}

// readLine appends a line, with its newline, to buffer. Of a line that is too long for a
// row, it returns the beginning.
func readLine(in *bufio.Reader, buffer []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		buffer = append(buffer, part...)
		if !errors.Is(err, bufio.ErrBufferFull) || len(buffer) > maxResult {
			return buffer, err
		}
	}
}

// resultError means that a line is not a Result.
type resultError struct{ line int }

func (e *resultError) Error() string { return fmt.Sprintf("line %d is %v", e.line, errNotResult) }

func readError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot read %s: %w", name, failure.Reason(err))
}

func shardError(name, has, want string) error {
	described := func(shard string) string {
		if shard == "" {
			return "a run without --shard"
		}
		return "shard " + shard
	}
	return failure.Usagef("pass the same --shard, or another output file", "cannot resume %s: it is the output of %s, not of %s", name, described(has), described(want))
}
