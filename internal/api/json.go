package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// checkJSON checks that data is exactly one JSON value in valid UTF-8 without
// duplicate keys. RFC 8259 does not define duplicate keys, so two parsers could see
// two different replies.
func checkJSON(data []byte) error {
	// Lone surrogates are refused only where they would change an answer.
	if utf8.Valid(data) && jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true)) {
		return nil
	}
	return invalidJSON(data)
}

// invalidJSON returns the reason why checkJSON refuses data.
func invalidJSON(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the body is empty")
	}
	if !utf8.Valid(data) {
		return errors.New("the body is not valid UTF-8")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true))
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

// decoder decodes one JSON value from start to end and records the first part of the
// wrong type. Keys are case-sensitive, unlike those of structs in encoding/json. A null
// decodes as the zero value; the caller decides whether it is required.
type decoder struct {
	data   bytes.Buffer
	dec    jsontext.Decoder
	root   string // the path of the value, "" for the fields of a body
	syntax error  // after it, nothing is read
	err    error
}

// decoders have memory to be reused, which is most of what a short reply needs.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decode calls read with a decoder of data. It reports whether all of data was decoded
// and is JSON without duplicate keys; then err is for the first part of the wrong type.
func decode(data []byte, root string, read func(*decoder)) (complete bool, err error) {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.data, d.root, d.syntax, d.err = *bytes.NewBuffer(data), root, nil, nil
	d.dec.Reset(&d.data, jsontext.AllowInvalidUTF8(true))
	read(d)
	return d.isComplete(), d.err
}

// isComplete reports whether nothing follows the value that was decoded.
func (d *decoder) isComplete() bool {
	if d.syntax != nil {
		return false
	}
	_, err := d.dec.ReadToken()
	return err == io.EOF //nolint:errorlint // the end is reported by io.EOF itself
}

// path returns the path of the value that was read last, such as choices[0].message.
func (d *decoder) path() string {
	path := d.root
	for token := range d.dec.StackPointer().Tokens() {
		// No field that is decoded has a number as its name.
		if _, err := strconv.Atoi(token); err == nil {
			path += "[" + token + "]"
			continue
		}
		if path != "" {
			path += "."
		}
		path += token
	}
	return cmp.Or(path, "the body")
}

// fail records that the value that was read last is not as wanted.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil && d.syntax == nil {
		d.err = fmt.Errorf("%s "+format, append([]any{d.path()}, args...)...)
	}
}

// read returns the next value, which is valid until the next one is read.
func (d *decoder) read() (raw jsontext.Value) {
	if d.syntax == nil {
		raw, d.syntax = d.dec.ReadValue()
	}
	return raw
}

func (d *decoder) skip() {
	if d.syntax == nil {
		d.syntax = d.dec.SkipValue()
	}
}

// has reports whether the next value is of the given kind. It skips any other value.
func (d *decoder) has(want jsontext.Kind) bool {
	kind := d.dec.PeekKind()
	if kind == want {
		return true
	}
	d.skip()
	if kind != 'n' {
		d.fail("is %s, want %s", nameOf(kind), nameOf(want))
	}
	return false
}

func nameOf(kind jsontext.Kind) string {
	switch kind {
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

func (d *decoder) text() string {
	if !d.has('"') {
		return ""
	}
	raw := d.read()
	switch {
	case d.syntax != nil:
		return ""
	case bytes.IndexByte(raw, '\\') >= 0 && hasLoneSurrogate(raw):
		d.fail("contains an unpaired surrogate")
		return ""
	}
	return string(unquoted(raw))
}

// unquoted returns the text of a JSON string, which may be a part of raw.
func unquoted(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	// Lone surrogates, the only possible error, become U+FFFD.
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

func (d *decoder) number() json.Number {
	if !d.has('0') {
		return ""
	}
	return json.Number(d.read())
}

// integer returns the next value, or absent if it is null.
func (d *decoder) integer(absent int64) int64 {
	n := d.number()
	if n == "" {
		return absent
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		d.fail("is %.40s, want an integer", n)
	}
	return i
}

// object calls field for each field of an object. It must look at the
// key before it reads or skips the value.
func (d *decoder) object(field func(key []byte)) {
	if !d.has('{') {
		return
	}
	d.each('}', func() {
		if key := d.read(); d.syntax == nil {
			field(unquoted(key))
		}
	})
}

// present is object for an object that must not be null.
func (d *decoder) present(field func(key []byte)) {
	if d.dec.PeekKind() != 'n' {
		d.object(field)
		return
	}
	d.skip()
	d.fail("is null, want an object")
}

// array calls element for each element of an array. It must read or skip it.
func (d *decoder) array(element func()) {
	if d.has('[') {
		d.each(']', element)
	}
}

func (d *decoder) each(end jsontext.Kind, read func()) {
	_, d.syntax = d.dec.ReadToken()
	for d.syntax == nil && d.dec.PeekKind() != end {
		read()
	}
	if d.syntax == nil {
		_, d.syntax = d.dec.ReadToken()
	}
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
