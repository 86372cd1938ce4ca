package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// escapes tells whether a backslash escapes, rather than divides paths.
const escapes = filepath.Separator == '/'

// path is a path as people type, paste or drop it: as it stands if there is such a
// file, else without the quotes and backslashes that make a word of a shell of it.
func (i *interactive) path(typed string) (string, error) {
	path, err := atHome(typed)
	if err != nil || exists(path) || typed == "" {
		return path, err
	}
	word, quote := shellUnquoted(typed)
	if quote != 0 { // an apostrophe
		if escapes {
			word = strings.ReplaceAll(typed, `\ `, " ")
		}
		return atHome(word)
	}
	plain, err := atHome(word)
	// Of a file to be made, don't and can't.md is a name and not a quotation.
	if err == nil && (exists(plain) || strings.ContainsRune(`"'`, rune(typed[0])) || escapes && strings.Contains(typed, `\`)) {
		return plain, nil
	}
	return path, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// atHome is a path whose ~ is the home directory.
func atHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("cannot find the home directory: %w", err)
	}
	return home + rest, nil
}

// shellUnquoted is a word of a POSIX shell (XCU 2.2) without its quotes and backslashes;
// nothing is expanded. quote is the one that is still open at its end: a mark of
// quotation, a backslash, or 0.
func shellUnquoted(word string) (text string, quote rune) {
	var out strings.Builder
	escaped := false
	for _, r := range word {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				out.WriteByte('\\')
			}
			out.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && escapes:
			escaped = true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		default:
			out.WriteRune(r)
		}
	}
	if escaped {
		quote = '\\'
	}
	return out.String(), quote
}

// shellRequoted is text as it goes on in a word in which this quote is open.
func shellRequoted(text string, quote rune) string {
	special := " \t\"'\\$`&;|<>()*?[]{}#!~"
	switch {
	case quote == '\'' && escapes:
		return strings.ReplaceAll(text, "'", `'\''`)
	case quote == '"':
		special = "\"\\$`"
	}
	if !escapes {
		return text
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
