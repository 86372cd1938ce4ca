// Package shell writes and reads words of a POSIX shell (XCU 2.2): what a user
// pastes from a hint, and what a user types or drops as a path. It runs nothing.
package shell

import (
	"path/filepath"
	"strings"
)

// Escapes reports whether a backslash escapes on this system, rather than
// separating the parts of a path.
const Escapes = filepath.Separator == '/'

// Quote returns text in single quotes.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Word returns text as one word, quoted only if it needs to be.
func Word(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	if text == "" || strings.Trim(text, plain) != "" {
		return Quote(text)
	}
	return text
}

// Unquote returns a word without its quotes and backslashes; nothing is
// expanded. Open is what is still open at its end: a quotation mark, a
// backslash, or 0.
func Unquote(word string) (text string, open rune) {
	var out strings.Builder
	escaped := false
	for _, r := range word {
		switch {
		case escaped:
			if open == '"' && !strings.ContainsRune("\"\\$`", r) {
				out.WriteByte('\\')
			}
			out.WriteRune(r)
			escaped = false
		case r == '\\' && open != '\'' && Escapes:
			escaped = true
		case r == open:
			open = 0
		case open == 0 && (r == '"' || r == '\''):
			open = r
		default:
			out.WriteRune(r)
		}
	}
	if escaped {
		open = '\\'
	}
	return out.String(), open
}

// Continue returns text as the rest of a word in which the quotation mark open,
// or 0, is open.
func Continue(text string, open rune) string {
	special := " \t\"'\\$`&;|<>()*?[]{}#!~"
	switch {
	case !Escapes:
		return text
	case open == '\'':
		return strings.ReplaceAll(text, "'", `'\''`)
	case open == '"':
		special = "\"\\$`"
	}
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune(special, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
