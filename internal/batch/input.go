package batch

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Input is the input of a batch.
type Input struct {
	name  string
	file  io.Reader
	lines bool
}

// OpenInput opens the input with this name; - is stdin. With lines, each line is a prompt.
func OpenInput(ctx context.Context, name string, stdin io.Reader, lines bool) (*Input, error) {
	if name == "-" {
		return &Input{name: "standard input", file: stdin, lines: lines}, nil
	}
	// A named pipe opens when another process writes to it.
	file, err := input.Await(ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, failure.Usagef("check the name of the file", "cannot read %s: %v", name, failure.Reason(err))
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		_ = file.Close()
		return nil, failure.Usagef("pass a file of rows", "%s is a directory", name)
	}
	return &Input{name: name, file: file, lines: lines}, nil
}

// Close closes the input, unless it is stdin.
func (i *Input) Close() {
	if file, ok := i.file.(io.Closer); ok && i.name != "standard input" {
		_ = file.Close()
	}
}

// rows returns a reader of the rows, whose reads end with ctx.
func (i *Input) rows(ctx context.Context) *Reader {
	return NewReader(input.Reader(ctx, i.file), i.lines)
}

// is reports whether the input is the regular file with this name.
func (i *Input) is(name string) bool {
	file, ok := i.file.(*os.File)
	if !ok {
		return false
	}
	one, err1 := file.Stat()
	other, err2 := os.Stat(name)
	return err1 == nil && err2 == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}

func (i *Input) explain(err error) error {
	return fmt.Errorf("cannot read %s: %w", i.name, failure.Reason(err))
}

// size returns the size of a regular file, or 0 for another input.
func (i *Input) size() int64 {
	if file, ok := i.file.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}
