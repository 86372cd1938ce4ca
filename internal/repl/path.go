package repl

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// typedPath returns a path as users type, paste or drop it: unchanged if there
// is such a file, else without the quotes and backslashes that make a word of a
// shell of it.
func typedPath(typed string) (string, error) {
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

// maxFiles bounds how many files of a directory are offered.
const maxFiles = 500

// completePath offers the files of the directory that is typed. What is typed may
// be the path itself or a word of a shell, and goes on as it began.
func completePath(_ context.Context, _ *session, typed string) []lineedit.Candidate {
	word, quote := shell.Unquote(typed)
	out := filesBeginning(typed, word, func(rest string) string { return shell.Continue(rest, quote) }, quote)
	if word != typed { // such as an apostrophe
		out = append(out, filesBeginning(typed, typed, strings.Clone, 0)...)
	}
	return out
}

// filesBeginning offers the files whose path begins with this one, which was typed
// so; encode is how its rest is typed, and quote what ends it.
func filesBeginning(typed, path string, encode func(string) string, quote rune) []lineedit.Candidate {
	dir, base := filepath.Split(path)
	dir, err := atHome(dir)
	if err != nil || quote == '\\' {
		return nil
	}
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	var out []lineedit.Candidate
	for _, entry := range entries {
		name := entry.Name()
		if name != terminal.CleanLine(name) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") {
			continue
		}
		var value string
		if before, ok := strings.CutSuffix(typed, encode(base)); ok && strings.HasPrefix(strings.ToLower(name), strings.ToLower(base)) {
			value = before + encode(name)
		} else if rest, ok := strings.CutPrefix(name, base); ok {
			value = typed + encode(rest)
		} else {
			continue
		}
		if entry.IsDir() {
			value += string(filepath.Separator)
		} else if quote != 0 {
			value += string(quote)
		}
		if out = append(out, lineedit.Candidate{Value: value}); len(out) == maxFiles {
			break
		}
	}
	return out
}
