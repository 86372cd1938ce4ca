package terminal

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
)

// CommandLine returns the words of a command that runs line, the user's editor or pager,
// with arguments appended. If the whole line is the path of a program, it is one word.
// Otherwise it is split, on Unix by the shell, as in git and man; arguments are not
// subject to expansion. CommandLine fails on an unterminated quote on Windows. A line
// must not be blank.
func CommandLine(line string, arguments ...string) ([]string, error) {
	if _, err := exec.LookPath(line); err == nil {
		return append([]string{line}, arguments...), nil
	}
	if runtime.GOOS == "windows" {
		words, err := splitCommand(line)
		return append(words, arguments...), err
	}
	// The program handles Ctrl-C, and sh must not exit before it.
	return append([]string{"sh", "-c", "trap : INT; " + line + ` "$@"`, "sh"}, arguments...), nil
}

// splitCommand splits a command line at spaces and tabs, for Windows. Single or double
// quotes protect the spaces in a word. A backslash is an ordinary character, because it
// separates the elements of a path. splitCommand fails on an unterminated quote.
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
		case r == '"' || r == '\'' && !inside: // not the apostrophe in O'Brien
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
		return nil, errors.New("unterminated quote")
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}
