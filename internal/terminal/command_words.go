package terminal

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
)

// CommandLine returns the words of the command that runs line, the user's choice of an
// editor or a pager, with arguments after its own. A line that is the path of a
// program, spaces included, is run as such; other lines are split: on Unix by the
// shell, as for git and man, which does not read the arguments. The error is that of
// an unclosed quote on Windows. A line must not be blank.
func CommandLine(line string, arguments ...string) ([]string, error) {
	if _, err := exec.LookPath(line); err == nil {
		return append([]string{line}, arguments...), nil
	}
	if runtime.GOOS == "windows" {
		words, err := splitCommand(line)
		return append(words, arguments...), err
	}
	// Ctrl-C is a key for the program: sh must not end before it.
	return append([]string{"sh", "-c", "trap : INT; " + line + ` "$@"`, "sh"}, arguments...), nil
}

// splitCommand splits a command line into words at spaces where no shell does it, on
// Windows. Quotes, double or single, protect the spaces in a word. A backslash has no
// meaning, because it separates paths. The error is that of an unclosed quote.
func splitCommand(line string) ([]string, error) {
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
