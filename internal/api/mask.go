package api

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

const (
	masked = "***"
	// A shorter token would turn every text into stars and hide nothing.
	minMasked = 4
	// A shorter token may be a word, which a reply may use for itself.
	minMaskedInReplies = 16
)

// mask takes the token out of what leaves this package, whether it is written
// plainly or with any of its characters percent-encoded or escaped as in JSON.
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
				plain = `\\?` + plain
			}
			fmt.Fprintf(&p, `(?:%s|(?i:%%%02x|\\u00%02x))`, plain, c, c)
		}
		return regexp.MustCompile(p.String())
	})}
}

// text returns s without the token.
func (m mask) text(s string) string {
	if m.token == "" {
		return s
	}
	// A token with stars in it can appear again in what is left of it. Every
	// round makes the text shorter.
	for strings.Contains(s, m.token) {
		s = strings.ReplaceAll(s, m.token, masked)
	}
	// Most texts have no escape and are spared the pattern, which for a long
	// token takes milliseconds to make.
	if !strings.ContainsAny(s, `%\`) {
		return s
	}
	for m.pattern().MatchString(s) {
		s = m.pattern().ReplaceAllLiteralString(s, masked)
	}
	return s
}

// err returns err with a text that is free of the token; errors.Is and
// errors.As still find the cause.
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
