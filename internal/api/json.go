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

	"github.com/go-json-experiment/json/jsontext"
)

// checkJSON checks that data is exactly one JSON value in valid UTF-8 without
// duplicate keys. RFC 8259 does not define duplicate keys, so two parsers could see
// two different replies.
func checkJSON(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the body is empty")
	}
	if !utf8.Valid(data) {
		return errors.New("the body is not valid UTF-8")
	}
	// Lone surrogates are refused only where they would change an answer.
	anyText := jsontext.AllowInvalidUTF8(true)
	if jsontext.Value(data).IsValid(anyText) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data), anyText)
	_, err := dec.ReadValue()
	if err == nil {
		return fmt.Errorf("the body is not JSON: unexpected data after the value at byte %d", dec.InputOffset()+1)
	}
	var syntax *jsontext.SyntacticError
	switch errors.As(err, &syntax); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("duplicate key %.60q at byte %d", syntax.JSONPointer.LastToken(), syntax.ByteOffset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the body is not JSON: unexpected end of JSON input")
	case syntax != nil:
		return fmt.Errorf("the body is not JSON: %w at byte %d", syntax.Err, syntax.ByteOffset+1)
	}
	return fmt.Errorf("the body is not JSON: %w", err)
}

// value is a JSON value with its path for errors. Keys are case-sensitive, unlike
// those of structs in encoding/json.
type value struct {
	path string
	raw  json.RawMessage
}

// isAbsent reports whether v is missing or null.
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

// object holds the fields of a JSON object.
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

// decoder decodes values and records the first one of the wrong type. An absent
// value decodes as the zero value; the caller decides whether it is required.
type decoder struct {
	err error
	dec jsontext.Decoder // of each, to be reused
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// has reports whether v is present and of the given kind.
func (d *decoder) has(v value, want string) bool {
	if v.isAbsent() {
		return false
	}
	if v.kind() != want {
		d.fail(fmt.Errorf("%s is %s, want %s", v.path, v.kind(), want))
		return false
	}
	return true
}

// hasLoneSurrogate reports whether a valid JSON string escapes one half of a
// surrogate pair without the other (RFC 8259, section 8.2). encoding/json silently
// replaces it by U+FFFD.
func hasLoneSurrogate(literal []byte) bool {
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		i++
		first := codeUnit(literal[i:])
		if !utf16.IsSurrogate(first) {
			continue
		}
		i += len(`uXXXX`)
		rest, escaped := bytes.CutPrefix(literal[i:], []byte(`\`))
		if !escaped || utf16.DecodeRune(first, codeUnit(rest)) == utf8.RuneError {
			return true
		}
		i += len(`uXXXX`)
	}
	return false
}

// codeUnit returns the value of uXXXX at the start of b, or 0 for any other escape.
func codeUnit(b []byte) rune {
	if b[0] != 'u' {
		return 0
	}
	unit, _ := strconv.ParseUint(string(b[1:5]), 16, 16)
	return rune(unit)
}

func (d *decoder) text(v value) string {
	if !d.has(v, "a string") {
		return ""
	}
	if bytes.IndexByte(v.raw, '\\') < 0 {
		return string(v.raw[1 : len(v.raw)-1])
	}
	if hasLoneSurrogate(v.raw) {
		d.fail(fmt.Errorf("%s contains an unpaired surrogate", v.path))
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, v.raw)
	if err != nil {
		d.fail(fmt.Errorf("%s: %w", v.path, err))
	}
	return string(text)
}

func (d *decoder) number(v value) json.Number {
	if !d.has(v, "a number") {
		return ""
	}
	return json.Number(v.raw)
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
	if !d.has(v, "an object") {
		return o
	}
	o.fields = map[string]json.RawMessage{}
	d.each(v, func(key string, raw json.RawMessage) { o.fields[key] = raw })
	return o
}

func (d *decoder) array(v value) (values []value) {
	if d.has(v, "an array") {
		d.each(v, func(_ string, raw json.RawMessage) {
			values = append(values, value{path: fmt.Sprintf("%s[%d]", v.path, len(values)), raw: raw})
		})
	}
	return values
}

// each calls f for each element of an array, or for each field of an object with its key.
// The values are parts of v. f must not call each.
func (d *decoder) each(v value, f func(key string, raw json.RawMessage)) {
	// The keys of the whole document are checked already.
	dec := &d.dec
	dec.Reset(bytes.NewBuffer(v.raw), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	open, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		var key jsontext.Token
		var name string
		if open.Kind() == '{' {
			if key, err = dec.ReadToken(); err != nil {
				break
			}
			name = key.String()
		}
		var raw jsontext.Value
		if raw, err = dec.ReadValue(); err == nil {
			end := dec.InputOffset()
			f(name, json.RawMessage(v.raw[end-int64(len(raw)):end]))
		}
	}
	if err != nil {
		d.fail(fmt.Errorf("%s: %w", v.path, err))
	}
}
