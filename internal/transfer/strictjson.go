package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// byteOrderMark is what some programs write before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// maxValue is the maximum size of one value, like a turn, in bytes. In JSON a byte of
// text may take six.
const maxValue = 256 << 20

// strictJSON reads JSON of any length, value by value. Invalid JSON, an unknown key and
// a value of the wrong type are a *history.ImportError that names the path of the value.
type strictJSON struct {
	dec   *json.Decoder
	in    *bounded
	start int64 // bytes of the file before those that dec reads
}

// newStrictJSON reads from the start of r, where a byte order mark may come first.
func newStrictJSON(r io.ReadSeeker) (*strictJSON, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	mark := make([]byte, len(byteOrderMark))
	_, _ = io.ReadFull(r, mark) // an error comes again
	start := int64(len(mark))
	if string(mark) != byteOrderMark {
		start = 0
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	in := &bounded{r: r, left: maxValue}
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	return &strictJSON{dec: dec, in: in, start: start}, nil
}

var errTooLong = fmt.Errorf("a value is longer than %d MiB", maxValue>>20)

// bounded is a reader that fails after left bytes.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// object calls field for each key of an object, to read its value.
func (s *strictJSON) object(path string, field func(key string) error) error {
	return s.each(path, '{', "an object", func(int) error {
		key, err := s.dec.Token()
		if err != nil {
			return s.broken(path, err)
		}
		return field(key.(string))
	})
}

// array calls element for each element of an array, to read it.
func (s *strictJSON) array(path string, element func(path string) error) error {
	return s.each(path, '[', "an array", func(i int) error { return element(fmt.Sprintf("%s[%d]", path, i)) })
}

func (s *strictJSON) each(path string, open json.Delim, what string, read func(i int) error) error {
	token, err := s.dec.Token()
	if err == nil && token != open {
		return refuse(path, "want %s", what)
	}
	for i := 0; err == nil && s.dec.More(); i++ {
		if err := read(i); err != nil {
			return err
		}
	}
	if err == nil {
		_, err = s.dec.Token()
	}
	return s.broken(path, err)
}

// value decodes the next value.
func (s *strictJSON) value(path string, into any) error {
	s.in.left = maxValue
	err := s.dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field != "" {
			path += "." + wrong.Field
		}
		return refuse(path, "want %s, not %s", kindName(wrong.Type.Kind().String()), wrong.Value)
	}
	return s.broken(path, err)
}

// kindName returns the name of a Go kind in JSON.
func kindName(kind string) string {
	switch kind {
	case "string":
		return "a string"
	case "int64":
		return "a whole number"
	}
	return "an object"
}

// end refuses what follows the value of the file.
func (s *strictJSON) end(path string) error {
	if _, err := s.dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(path, "something follows its end")
	}
	return nil
}

// broken returns an error of the decoder with the path and position of the invalid JSON.
// Errors of the file itself are returned as they are.
func (s *strictJSON) broken(path string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(path, "the file ends in the middle of it")
	case errors.As(err, &syntax):
		return refuse(path, "broken JSON at byte %d: %v", s.start+syntax.Offset, err)
	case strings.HasPrefix(err.Error(), "json: "):
		return refuse(path, "%s", strings.TrimPrefix(err.Error(), "json: "))
	case errors.Is(err, errTooLong):
		return refuse(path, "%v", err)
	}
	return err
}
