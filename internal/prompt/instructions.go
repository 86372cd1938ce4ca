package prompt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Instructions returns the instructions that the user passed as given: the name of a
// file, which is read and noted, or the text itself. Line ends become newlines, and white
// space at the end is removed. A name of a file that does not exist, such as style.md, is
// an error and not a text. Errors are of kind failure.Usage.
func Instructions(p *cli.Printer, given string) (string, error) {
	const hint = "pass text, or the name of a text file"
	name, data := "the text", []byte(given)
	_, err := os.Stat(given)
	isFile := err == nil || namesFile(given)
	if isFile {
		name = given
		if data, err = input.ReadFile(given, config.MaxInstructions); err != nil {
			return "", failure.Usagef(hint, "cannot read the instructions in %s: %v", given, failure.Reason(err))
		}
	}
	text, err := attach.Text(name, data)
	if err != nil {
		return "", err
	}
	text = strings.TrimRightFunc(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), unicode.IsSpace)
	if text == "" {
		return "", failure.Usagef(hint, "the instructions are empty")
	}
	if err := config.CheckInstructions(text); err != nil {
		return "", failure.Usagef(hint, "invalid instructions: %v", err)
	}
	if isFile {
		p.Note("the instructions are the text of %s", given)
	}
	return text, nil
}

// namesFile reports whether a word looks like the name of a file and not like a text.
func namesFile(word string) bool {
	if word == "-" {
		return true
	}
	return !strings.ContainsFunc(word, unicode.IsSpace) &&
		(strings.ContainsRune(word, '/') || strings.ContainsRune(word, filepath.Separator) || slices.Contains([]string{".md", ".txt"}, strings.ToLower(filepath.Ext(word))))
}
