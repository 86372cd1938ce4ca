package terminal

import (
	"errors"
	"strings"
)

// SplitCommand splits a command line into words at spaces where no shell does it, on
// Windows. Quotes, double or single, protect the spaces in a word. A backslash has no
// meaning, because it separates paths. The error is that of an unclosed quote.
func SplitCommand(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inside := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'' && !inside: // the apostrophe of O'Brien is none
			quote, inside = r, true
		case r == ' ' || r == '\t':
			if inside {
				words = append(words, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote has no end")
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}
