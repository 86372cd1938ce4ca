package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// maxRow is the maximum size of a row in bytes.
	maxRow = 16 << 20
	// maxSpare is the maximum size of a buffer that is reused for the next row.
	maxSpare = 1 << 20
)

// Reader reads the rows of a batch. Its memory is limited by the longest row.
//
// Rows are lines that end with LF or CRLF; the last one may have no line end. A byte order
// mark at the beginning and blank lines are ignored.
type Reader struct {
	in     *bufio.Reader
	lines  bool
	parser rowParser
	long   []byte // buffer for rows longer than that of in
	line   int    // number of the last line
	err    error  // of in
	offset int64  // bytes of the rows so far, including their line ends
}

// NewReader returns a reader of JSONL or, if lines is set, of plain lines, of which each is
// a prompt and its number the id.
func NewReader(in io.Reader, lines bool) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 64<<10), lines: lines}
}

// Next returns the next row. The error is a *RowError if the row is malformed; the next
// call then reads the row after it. It is io.EOF at the end of the input. Any other error
// is that of the input, and final.
func (r *Reader) Next() (Row, error) {
	for r.err == nil {
		text, length := r.readLine()
		if r.err != nil && (!errors.Is(r.err, io.EOF) || length == 0) {
			break
		}
		r.line++
		if length <= maxRow+1 {
			text = bytes.TrimSuffix(text, []byte("\r"))
			if length = len(text); len(bytes.TrimSpace(text)) == 0 {
				continue
			}
		}
		row, err := r.parse(text, length)
		if cap(r.long) > maxSpare {
			r.long = nil
		}
		if err != nil {
			return Row{}, &RowError{Line: r.line, What: err.Error()}
		}
		row.Line = r.line
		return row, nil
	}
	return Row{}, r.err
}

func (r *Reader) parse(text []byte, length int) (Row, error) {
	switch {
	case length > maxRow:
		return Row{}, fmt.Errorf("the row has %d bytes, more than the limit of %d MiB", length, maxRow>>20)
	case r.lines:
		return parseLine(text, r.line)
	}
	return r.parser.parse(text)
}

// readLine reads a line and returns it without its LF, and its length. A line longer than
// maxRow is skipped, and its text is nil. It is valid until the next call.
func (r *Reader) readLine() (text []byte, length int) {
	if r.line == 0 {
		if mark, _ := r.in.Peek(3); string(mark) == "\xef\xbb\xbf" { // the next read reports an error
			_, _ = r.in.Discard(len(mark))
		}
	}
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.offset += int64(len(part))
		part = bytes.TrimSuffix(part, []byte("\n"))
		whole := length == 0
		length += len(part)
		switch {
		case length > maxRow+1: // a CR may follow
			r.long = nil
		case whole && !errors.Is(err, bufio.ErrBufferFull):
			r.err = err
			return part, length
		default:
			r.long = append(r.long, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			r.err = err
			return r.long, length
		}
	}
}
