package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
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
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("the body is not JSON: %w at byte %d", err, syntax.Offset)
		}
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	// Without UseNumber, a number outside float64 fails, although it is valid JSON.
	dec.UseNumber()
	return checkKeys(dec)
}

// checkKeys reads one value. encoding/json has limited its depth already.
func checkKeys(dec *json.Decoder) error {
	open, err := dec.Token()
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	if open != json.Delim('{') && open != json.Delim('[') {
		return nil
	}
	seen := map[json.Token]bool{}
	for dec.More() {
		if open == json.Delim('{') {
			key, err := dec.Token()
			switch {
			case err != nil:
				return fmt.Errorf("the body is not JSON: %w", err)
			case seen[key]:
				return fmt.Errorf("duplicate key %.60q at byte %d", key, dec.InputOffset())
			}
			seen[key] = true
		}
		if err := checkKeys(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
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
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// read decodes v if it has the given kind.
func (d *decoder) read(v value, want string, into any) {
	if v.isAbsent() {
		return
	}
	if v.kind() != want {
		d.fail(fmt.Errorf("%s is %s, want %s", v.path, v.kind(), want))
		return
	}
	if want == "a string" && hasLoneSurrogate(v.raw) {
		d.fail(fmt.Errorf("%s contains an unpaired surrogate", v.path))
		return
	}
	if err := json.Unmarshal(v.raw, into); err != nil {
		d.fail(fmt.Errorf("%s: %w", v.path, err))
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
