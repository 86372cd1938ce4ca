package api

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// readMasked reads a body, and where it has the token in it reads it again
// without: what a caller gets is free of the token and otherwise the body byte
// for byte. The first reading finds faults that masking would hide.
func readMasked[T any](body []byte, m mask, read func([]byte) (T, error)) (T, error) {
	got, err := read(body)
	if err != nil || len(m.token) < minMaskedInReplies {
		return got, err
	}
	if safe := m.json(body); !bytes.Equal(safe, body) {
		return read(safe)
	}
	return got, nil
}

// body returns a body that may be anything, without the token.
func (m mask) body(b []byte) []byte {
	switch {
	case m.token == "":
		return b
	case json.Valid(b):
		return m.json(b)
	}
	return []byte(m.text(m.end(m.text(string(b)))))
}

// end masks a part of the token with which a body that was cut off ends.
func (m mask) end(s string) string {
	for n := len(m.token) - 1; n >= minMasked; n-- {
		if rest, cut := strings.CutSuffix(s, m.token[:n]); cut {
			return rest + masked
		}
	}
	return s
}

// jsonScalar matches the strings, with their quotes, and the other scalars of
// valid JSON.
var jsonScalar = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+`)

// json returns valid JSON without the token: a string that has it, in whatever
// spelling, is encoded again, and a number that has it becomes null. Everything
// else stays byte for byte.
func (m mask) json(b []byte) []byte {
	return jsonScalar.ReplaceAllFunc(b, func(scalar []byte) []byte {
		if scalar[0] != '"' {
			if bytes.Contains(scalar, []byte(m.token)) {
				return []byte("null")
			}
			return scalar
		}
		var text string
		if json.Unmarshal(scalar, &text) != nil {
			return scalar
		}
		safe := m.text(text)
		if safe == text {
			return scalar
		}
		// It cannot fail: the text is valid UTF-8.
		out, _ := json.Marshal(safe)
		return out
	})
}
