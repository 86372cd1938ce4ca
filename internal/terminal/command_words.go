package terminal

import (
	"errors"
	"strings"
)

// SplitCommand takes a command line apart where no shell does it, on Windows:
// words stand between spaces, and quotes, double or single, hold a word with
// spaces together. A backslash is itself, because it divides paths. The error is
// about a quote without an end.
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
