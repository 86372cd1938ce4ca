// Package shell quotes and parses words of a POSIX shell (XCU 2.2): commands in
// hints that users paste, and paths that they type or drop. It also contains scripts for
// shells. It runs nothing.
package shell

import (
	"path/filepath"
	"strings"
)

// Escapes reports whether a backslash is an escape character on this system and
// not a path separator.
const Escapes = filepath.Separator == '/'

// Quote returns text in single quotes.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Word returns text as one word, quoted only if necessary.
func Word(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@+"
	if text == "" || strings.Trim(text, plain) != "" {
		return Quote(text)
	}
	return text
}

// Unquote returns word without its quotes and backslashes, and without any expansion.
// Open is the quotation mark or backslash that is unterminated at the end, or 0.
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

// Continue returns text quoted as the continuation of a word. Open is the quotation mark
// that is still open in the word, or 0.
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
