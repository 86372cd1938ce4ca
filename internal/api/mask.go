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

// mask removes the token from data that leaves this package, in plain text or with
// any of its characters percent-encoded, or escaped as in JSON, also several times.
type mask struct {
	token   string
	pattern func() *regexp.Regexp
}

func newMask(token string) mask {
	if len(token) < minMasked {
		return mask{}
	}
	return mask{token: token, pattern: sync.OnceValue(func() *regexp.Regexp {
		var p strings.Builder
		for _, c := range []byte(token) {
			plain := regexp.QuoteMeta(string(rune(c)))
			if strings.ContainsRune(`"\/`, rune(c)) {
				plain = `\\*` + plain
			}
			fmt.Fprintf(&p, `(?:%s|(?i:%%%02x|\\+u00%02x))`, plain, c, c)
		}
		return regexp.MustCompile(p.String())
	})}
}

// text returns s without the token.
func (m mask) text(s string) string {
	if m.token == "" {
		return s
	}
	// If the token contains stars, masking can create another occurrence. Each
	// round shortens the text.
	for strings.Contains(s, m.token) {
		s = strings.ReplaceAll(s, m.token, masked)
	}
	// Most texts have no escapes; compiling the pattern of a long token takes
	// milliseconds.
	if !strings.ContainsAny(s, `%\`) {
		return s
	}
	for m.pattern().MatchString(s) {
		s = m.pattern().ReplaceAllLiteralString(s, masked)
	}
	return s
}

// err returns err with the token removed from its text. errors.Is and errors.As
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
