package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// checkJSON accepts exactly one JSON value in valid UTF-8 without a duplicate
// key at any depth (RFC 8259 leaves their meaning open: two readers would see
// two replies). The nesting is bounded by encoding/json, and walked without
// recursion.
func checkJSON(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the body is empty")
	}
	if !utf8.Valid(data) {
		return errors.New("the body is not valid UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("the body is not JSON: %w at byte %d", err, syntax.Offset)
		}
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return checkKeys(data)
}

// level is an array, or an object of which the keys so far are known.
type level struct {
	keys    map[string]bool
	wantKey bool
}

func checkKeys(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	// Without it a number beyond float64 fails, though JSON has no such bound.
	dec.UseNumber()
	var open []level
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the body is not JSON: %w", err)
		}
		if n := len(open) - 1; n >= 0 && open[n].wantKey {
			if key, ok := token.(string); ok {
				if open[n].keys[key] {
					return fmt.Errorf("the key %.60q at byte %d is a duplicate", key, dec.InputOffset())
				}
				open[n].keys[key] = true
				open[n].wantKey = false
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}, wantKey: true})
			continue
		case json.Delim('['):
			open = append(open, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if n := len(open) - 1; n >= 0 {
			open[n].wantKey = open[n].keys != nil
		}
	}
}

// value is a JSON value with the path by which errors call it. Keys are
// compared exactly, unlike in the structs of encoding/json.
type value struct {
	path string
	raw  json.RawMessage
}

// isAbsent holds for a missing value and for null.
func (v value) isAbsent() bool { return len(v.raw) == 0 || v.raw[0] == 'n' }

func (v value) kind() string {
	if len(v.raw) == 0 {
		return "missing"
	}
	switch v.raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// object is the fields of a JSON object.
type object struct {
	path   string
	fields map[string]json.RawMessage
}

func (o object) at(key string) value {
	path := key
	if o.path != "" {
		path = o.path + "." + key
	}
	return value{path: path, raw: o.fields[key]}
}

// decoder reads values and remembers the first that has the wrong type. A value
// that is absent reads as the zero value: whether it may be is for the caller.
type decoder struct {
	err error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// read decodes v when it is of the kind that is wanted.
func (d *decoder) read(v value, want string, into any) {
	if v.isAbsent() {
		return
	}
	if v.kind() != want {
		d.fail(fmt.Errorf("%s is %s, want %s", v.path, v.kind(), want))
		return
	}
	if want == "a string" && hasLoneSurrogate(v.raw) {
		d.fail(fmt.Errorf("%s has half of a surrogate pair, which is no character", v.path))
		return
	}
	if err := json.Unmarshal(v.raw, into); err != nil {
		d.fail(fmt.Errorf("%s: %w", v.path, err))
	}
}

// hasLoneSurrogate reports whether a JSON string escapes one half of a surrogate
// pair without the other (RFC 8259, section 8.2). encoding/json would put
// U+FFFD there and say nothing.
func hasLoneSurrogate(literal []byte) bool {
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		i++
		first, ok := codeUnit(literal[i:])
		if !ok || !utf16.IsSurrogate(first) {
			continue
		}
		i += len(`uXXXX`)
		rest, escaped := bytes.CutPrefix(literal[i:], []byte(`\`))
		second, ok := codeUnit(rest)
		if !escaped || !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		i += len(`uXXXX`)
	}
	return false
}

// codeUnit reads uXXXX at the start of b.
func codeUnit(b []byte) (rune, bool) {
	if len(b) < len(`uXXXX`) || b[0] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(b[1:5]), 16, 16)
	return rune(unit), err == nil
}

func (d *decoder) text(v value) (s string) {
	d.read(v, "a string", &s)
	return s
}

func (d *decoder) number(v value) (n json.Number) {
	d.read(v, "a number", &n)
	return n
}

func (d *decoder) integer(v value) int64 {
	n := d.number(v)
	if n == "" {
		return 0
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		d.fail(fmt.Errorf("%s is %.40s, want an integer", v.path, n))
	}
	return i
}

func (d *decoder) object(v value) object {
	o := object{path: v.path}
	d.read(v, "an object", &o.fields)
	return o
}

func (d *decoder) array(v value) []value {
	var raws []json.RawMessage
	d.read(v, "an array", &raws)
	values := make([]value, len(raws))
	for i, raw := range raws {
		values[i] = value{path: fmt.Sprintf("%s[%d]", v.path, i), raw: raw}
	}
	return values
}
