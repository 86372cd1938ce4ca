package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Recorder appends exchanges to a recording. It is safe for concurrent use, also by
// several processes that record into the same file.
type Recorder struct {
	path string

	mu  sync.Mutex
	err error
}

// Record prepares the recording at path, and creates it with mode 0600 if it does not
// exist. An existing file must be a recording; if its last line is incomplete, because
// a recording process was killed, that line is removed.
func Record(path string) (*Recorder, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, recordError(path, err)
	}
	r := &Recorder{path: absolute}
	if err := r.append(nil); err != nil {
		return nil, recordError(path, err)
	}
	return r, nil
}

func recordError(path string, err error) error {
	hint := "choose another file"
	if errors.Is(err, fs.ErrNotExist) {
		hint = "create the directory, or choose another file"
	}
	return failure.Usagef(hint, "cannot record in %s: %v", path, failure.Reason(err))
}

// Add appends an exchange with one write. Its error is returned by Close.
func (r *Recorder) Add(e api.Exchange, origin Origin) {
	err := r.add(e, origin)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *Recorder) add(e api.Exchange, origin Origin) error {
	l, err := newLine(e, origin)
	if err != nil {
		return err
	}
	data, err := l.encode()
	if err == nil && len(data) > maxLine {
		err = fmt.Errorf("the exchange is larger than %d MiB", maxLine>>20)
	}
	if err != nil {
		return err
	}
	return r.append(data)
}

// Close returns the first error of Add.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		return nil
	}
	return failure.New(failure.Other, failure.Plain("the answers are valid; the recording is incomplete"),
		fmt.Sprintf("cannot record in %s: %v", r.path, failure.Reason(r.err)))
}

// append adds lines to the file, after the first line if the file is empty.
func (r *Recorder) append(lines []byte) (err error) {
	// Opening a named pipe would wait for a reader.
	if err := input.Check(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := lockedfile.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	end, err := endOf(f)
	if err != nil {
		return err
	}
	if end == 0 {
		first, err := line{Format: Format, Version: Version}.encode()
		if err != nil {
			return err
		}
		lines = append(first, lines...)
	}
	if len(lines) == 0 {
		return nil
	}
	n, err := f.WriteAt(lines, end)
	if err != nil && n > 0 {
		_ = f.Truncate(end) // an incomplete line would be removed later
	}
	return err
}

var errForeign = errors.New("the file exists and is not a recording")

// endOf returns the end of the last complete line. It checks that the file is a
// recording, and removes an incomplete last line.
func endOf(f *lockedfile.File) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	size := info.Size()
	first, err := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 4<<10).ReadSlice('\n')
	if err != nil {
		return 0, errForeign
	}
	switch l, err := decode(first); {
	case !json.Valid(first), err == nil && l.Format == "":
		return 0, errForeign
	case err != nil:
		return 0, fmt.Errorf("%w: %w", errForeign, err)
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return size, err
	}
	end, buffer := size, make([]byte, 64<<10)
	for end > 0 {
		from := max(0, end-int64(len(buffer)))
		part := buffer[:end-from]
		if _, err := f.ReadAt(part, from); err != nil {
			return 0, err
		}
		if at := bytes.LastIndexByte(part, '\n'); at >= 0 {
			end = from + int64(at) + 1
			break
		}
		end = from
	}
	return end, f.Truncate(end)
}
