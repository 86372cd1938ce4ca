package transfer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// byteOrderMark is the mark that some programs write before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// maxValue is the maximum size of one value, such as a turn, in bytes of JSON, in which
// a byte of text can take six bytes.
const maxValue = 256 << 20

// strictJSON reads JSON of any length, value by value. Invalid JSON, an unknown key and
// a value of the wrong type are a *history.ImportError with the path of the value.
type strictJSON struct {
	dec   *json.Decoder
	in    *io.LimitedReader
	start int // offset in the file where dec starts
}

// newStrictJSON returns a reader from the start of r, after a byte order mark.
func newStrictJSON(r io.ReadSeeker) (*strictJSON, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	file := bufio.NewReader(r)
	s := &strictJSON{in: &io.LimitedReader{R: file, N: maxValue}}
	if mark, _ := file.Peek(len(byteOrderMark)); string(mark) == byteOrderMark { // the next read reports an error
		s.start, _ = file.Discard(len(mark))
	}
	s.dec = json.NewDecoder(s.in)
	s.dec.DisallowUnknownFields()
	return s, nil
}

// object calls field for each key of an object; field reads the value.
func (s *strictJSON) object(path string, field func(key string) error) error {
	return s.each(path, '{', "an object", func(int) error {
		key, err := s.dec.Token()
		if err != nil {
			return s.broken(path, err)
		}
		return field(key.(string))
	})
}

// array calls element for each element of an array; element reads it.
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
	s.in.N = maxValue
	err := s.dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field != "" {
			path += "." + wrong.Field
		}
		kinds := map[reflect.Kind]string{reflect.String: "a string", reflect.Int64: "a whole number"}
		return refuse(path, "want %s, not %s", cmp.Or(kinds[wrong.Type.Kind()], "an object"), wrong.Value)
	}
	return s.broken(path, err)
}

// end rejects data after the end of the value.
func (s *strictJSON) end(path string) error {
	if _, err := s.dec.Token(); !errors.Is(err, io.EOF) || s.in.N <= 0 {
		return refuse(path, "unexpected data after the end")
	}
	return nil
}

// broken converts an error of the decoder to a *history.ImportError with the path and the
// position. Errors of reading the file remain unchanged.
func (s *strictJSON) broken(path string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case s.in.N <= 0:
		return refuse(path, "value is longer than %d MiB", maxValue>>20)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(path, "unexpected end of file")
	case errors.As(err, &syntax):
		return refuse(path, "invalid JSON at byte %d: %v", int64(s.start)+syntax.Offset, err)
	case strings.HasPrefix(err.Error(), "json: "):
		return refuse(path, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return err
}
