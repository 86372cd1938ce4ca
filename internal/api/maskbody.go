package api

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// readMasked parses a body, and parses it again with the token masked if it
// contains the token. The first pass finds errors that masking would hide.
func readMasked[T any](body []byte, m mask, read func([]byte) (T, error)) (T, error) {
	got, err := read(body)
	if err != nil || len(m.token) < minMaskedInReplies || !m.mayOccur(body) {
		return got, err
	}
	if safe := m.json(body); !bytes.Equal(safe, body) {
		return read(safe)
	}
	return got, nil
}

// mayOccur reports whether valid JSON may contain the token in any spelling. Most replies
// are ruled out quickly.
func (m mask) mayOccur(b []byte) bool {
	return bytes.Contains(b, []byte(m.token)) || bytes.IndexByte(b, '%') >= 0 || bytes.Contains(b, []byte(`\u`)) ||
		strings.ContainsAny(m.token, `"\/`) && bytes.IndexByte(b, '\\') >= 0
}

// body returns any body, valid or not, with the token masked.
func (m mask) body(b []byte) []byte {
	switch {
	case m.token == "":
		return b
	case json.Valid(b):
		return m.json(b)
	}
	return []byte(m.text(m.end(m.text(string(b)))))
}

// end masks a prefix of the token at the end of a truncated body.
func (m mask) end(s string) string {
	for n := len(m.token) - 1; n >= minMasked; n-- {
		if rest, cut := strings.CutSuffix(s, m.token[:n]); cut {
			return rest + masked
		}
	}
	return s
}

// jsonScalar matches the scalars of valid JSON, strings with their quotes.
var jsonScalar = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+`)

// json returns valid JSON with the token masked. It encodes strings that contain
// the token again, in any spelling, and replaces such numbers by null. All other
// bytes stay the same.
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
		// This cannot fail: the text is valid UTF-8.
		out, _ := json.Marshal(safe)
		return out
	})
}
