package api

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

const (
	masked = "***"
	// A shorter token occurs in too many texts to be masked.
	minMasked = 4
	// A shorter token may be an ordinary word of the reply.
	minMaskedInReplies = 16
)

// mask removes tokens from data that leaves this package, in plain text or with any of
// their characters percent-encoded, or escaped as in JSON, also several times. The zero
// mask changes nothing.
type mask []secret

type secret struct {
	token   string
	pattern func() *regexp.Regexp
}

// newMask returns the mask of a token, which masks nothing if the token is too short.
func newMask(token string) mask {
	if len(token) < minMasked {
		return nil
	}
	return mask{{token: token, pattern: sync.OnceValue(func() *regexp.Regexp {
		var p strings.Builder
		for _, c := range []byte(token) {
			plain := regexp.QuoteMeta(string(rune(c)))
			if strings.ContainsRune(`"\/`, rune(c)) {
				plain = `\\*` + plain
			}
			fmt.Fprintf(&p, `(?:%s|(?i:%%%02x|\\+u00%02x))`, plain, c, c)
		}
		return regexp.MustCompile(p.String())
	})}}
}

// text returns s without the tokens.
func (m mask) text(s string) string {
	// Masking one token can create another one that contains stars. Each round
	// shortens the text.
	for before := ""; before != s; {
		before = s
		for _, token := range m {
			s = token.text(s)
		}
	}
	return s
}

func (t secret) text(s string) string {
	// If the token contains stars, masking can create another occurrence. Each
	// round shortens the text.
	for strings.Contains(s, t.token) {
		s = strings.ReplaceAll(s, t.token, masked)
	}
	// Most texts have no escapes; compiling the pattern of a long token takes
	// milliseconds.
	if !strings.ContainsAny(s, `%\`) {
		return s
	}
	for t.pattern().MatchString(s) {
		s = t.pattern().ReplaceAllLiteralString(s, masked)
	}
	return s
}

// maxLength returns the length of the longest token.
func (m mask) maxLength() int {
	longest := 0
	for _, t := range m {
		longest = max(longest, len(t.token))
	}
	return longest
}

// err returns err with the tokens removed from its text. errors.Is and errors.As
// still find the cause.
func (m mask) err(err error) error {
	if text := m.text(err.Error()); text != err.Error() {
		return &maskedError{text: text, err: err}
	}
	return err
}

type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }
