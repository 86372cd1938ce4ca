package api

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

const (
	masked = "***"
	// A shorter token would turn every text into stars and hide nothing.
	minMasked = 4
)

// mask takes the token out of texts that leave this package, whether it is
// written plainly or with any of its characters percent-encoded.
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
			fmt.Fprintf(&p, "(?:%s|%%(?i:%02x))", regexp.QuoteMeta(string(rune(c))), c)
		}
		return regexp.MustCompile(p.String())
	})}
}

// text returns s without the token.
func (m mask) text(s string) string {
	if m.token == "" {
		return s
	}
	// A token with stars in it can appear anew from what is left of it. Every
	// round makes the text shorter.
	for m.pattern().MatchString(s) {
		s = m.pattern().ReplaceAllLiteralString(s, masked)
	}
	return s
}

// bytes returns b without the plain token.
func (m mask) bytes(b []byte) []byte {
	if m.token == "" {
		return b
	}
	return bytes.ReplaceAll(b, []byte(m.token), []byte(masked))
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
