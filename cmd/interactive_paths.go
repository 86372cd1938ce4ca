package cmd

import (
	"fmt"
	"os"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

// path is a path as people type, paste or drop it: as it stands if there is such a
// file, else without the quotes and backslashes that make a word of a shell of it.
func (i *interactive) path(typed string) (string, error) {
	path, err := atHome(typed)
	if err != nil || exists(path) || typed == "" {
		return path, err
	}
	word, quote := shell.Unquote(typed)
	if quote != 0 { // an apostrophe
		if shell.Escapes {
			word = strings.ReplaceAll(typed, `\ `, " ")
		}
		return atHome(word)
	}
	plain, err := atHome(word)
	// Of a file to be made, don't and can't.md is a name and not a quotation.
	if err == nil && (exists(plain) || strings.ContainsRune(`"'`, rune(typed[0])) || shell.Escapes && strings.Contains(typed, `\`)) {
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
