// Package input reads files and streams without blocking forever. It opens only
// regular files where one is expected, because a named pipe blocks until another
// process writes to it. Reads from streams end with their context. It is a shared
// leaf.
package input

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/hobnob-cli/hobnob/internal/plural"
)

// NoLimit is the limit for ReadFile to read a file of any size.
const NoLimit = math.MaxInt64 - 1

// KindError means that a path leads to something other than a regular file.
type KindError struct{ Mode fs.FileMode }

// Error returns the kind of the file.
func (e *KindError) Error() string { return "is " + e.Kind() + ", not a regular file" }

// Kind returns the kind of the file with its article.
func (e *KindError) Kind() string {
	switch e.Mode.Type() {
	case fs.ModeDir:
		return "a directory"
	case fs.ModeNamedPipe:
		return "a named pipe"
	case fs.ModeSocket:
		return "a socket"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		return "a device"
	}
	return "a special file"
}

// Check returns nil if path leads to a regular file, without opening it. Otherwise it
// returns a *fs.PathError, which wraps a *KindError if the file exists.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return checkKind(path, info)
}

func checkKind(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: &KindError{info.Mode()}}
}

// isNull reports whether a file is the null device, which reads as an empty file and
// never blocks.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, info)
}

// Open opens the regular file at path, or the null device, for reading. It never
// waits for another process. It returns the errors of Check and os.Open.
func Open(path string) (*os.File, error) {
	return OpenFile(path, os.O_RDONLY)
}

// OpenFile is like Open, but with flags. It does not create a file.
func OpenFile(path string, flag int) (*os.File, error) {
	return open(path, flag, os.Stat, os.OpenFile)
}

// OpenIn is like Open for a path in a directory. A symbolic link that leads out of the
// directory is an error.
func OpenIn(dir *os.Root, path string) (*os.File, error) {
	return open(path, os.O_RDONLY, dir.Stat, dir.OpenFile)
}

func open(path string, flag int, stat func(string) (fs.FileInfo, error), openFile func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	// Do not open a device, because opening it may have an effect.
	if info, err := stat(path); err != nil {
		return nil, err
	} else if !isNull(info) {
		if err := checkKind(path, info); err != nil {
			return nil, err
		}
	}
	f, err := openFile(path, flag|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !isNull(info) {
		err = checkKind(path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile returns the content of the regular file at path. It returns an error if
// the file has more than limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	return read(f, path, limit)
}

// ReadFileIn is like ReadFile for a path in a directory. A symbolic link that leads out
// of the directory is an error.
func ReadFileIn(dir *os.Root, path string, limit int64) ([]byte, error) {
	f, err := OpenIn(dir, path)
	if err != nil {
		return nil, err
	}
	return read(f, path, limit)
}

func read(f *os.File, path string, limit int64) ([]byte, error) {
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %s", plural.Bytes(limit))}
	}
	return data, err
}

// Await returns the result of read, or ctx.Err() when ctx is done. A blocked read
// cannot be stopped: it continues in the background, and its result is discarded.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case r := <-done:
		return r.value, r.err
	}
}

// Reader returns a reader of r whose reads return when ctx is done. After that, neither
// the reader nor r may be used.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &reader{ctx, r} }

type reader struct {
	ctx context.Context
	in  io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	// An abandoned read must not write to the memory of the caller.
	data, err := Await(r.ctx, func() ([]byte, error) {
		buffer := make([]byte, len(p))
		n, err := r.in.Read(buffer)
		return buffer[:n], err
	})
	return copy(p, data), err
}
