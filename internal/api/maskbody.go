package api

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// readMasked parses a body, and parses it again with the tokens masked if it
// contains one. The first pass finds errors that masking would hide.
func readMasked[T any](body []byte, m mask, read func([]byte) (T, error)) (T, error) {
	got, err := read(body)
	m = slices.DeleteFunc(slices.Clone(m), func(t secret) bool { return len(t.token) < minMaskedInReplies || !t.mayOccur(body) })
	if err != nil || len(m) == 0 {
		return got, err
	}
	if safe := m.json(body); !bytes.Equal(safe, body) {
		return read(safe)
	}
	return got, nil
}

// mayOccur reports whether valid JSON may contain the token in any spelling. Most replies
// are ruled out quickly.
func (t secret) mayOccur(b []byte) bool {
	return bytes.Contains(b, []byte(t.token)) || bytes.IndexByte(b, '%') >= 0 || bytes.Contains(b, []byte(`\u`)) ||
		strings.ContainsAny(t.token, `"\/`) && bytes.IndexByte(b, '\\') >= 0
}

// body returns any body, valid or not, with the tokens masked.
func (m mask) body(b []byte) []byte {
	switch {
	case len(m) == 0:
		return b
	case json.Valid(b):
		return m.json(b)
	}
	return []byte(m.text(m.end(m.text(string(b)))))
}

// end masks a prefix of a token at the end of a truncated body.
func (m mask) end(s string) string {
	longest := 0
	for _, t := range m {
		for n := len(t.token) - 1; n >= max(minMasked, longest+1); n-- {
			if strings.HasSuffix(s, t.token[:n]) {
				longest = n
			}
		}
	}
	if longest == 0 {
		return s
	}
	return s[:len(s)-longest] + masked
}

// jsonScalar matches the scalars of valid JSON, strings with their quotes.
var jsonScalar = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+`)

// json returns valid JSON with the tokens masked. It encodes strings that contain
// one again, in any spelling, and replaces such numbers by null. All other
// bytes stay the same.
func (m mask) json(b []byte) []byte {
	return jsonScalar.ReplaceAllFunc(b, func(scalar []byte) []byte {
		if scalar[0] != '"' {
			if slices.ContainsFunc(m, func(t secret) bool { return bytes.Contains(scalar, []byte(t.token)) }) {
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
