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

// typedPath returns the path that the user typed, pasted or dropped: unchanged if
// the file exists, and otherwise without shell quotes and backslashes.
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
	// A new file may have a name like don't and can't.md, which is not quoted.
	if err == nil && (exists(plain) || strings.ContainsRune(`"'`, rune(typed[0])) || shell.Escapes && strings.Contains(typed, `\`)) {
		return plain, nil
	}
	return path, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// atHome returns path with a leading ~ replaced by the home directory.
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

// maxFiles is the maximum number of files offered.
const maxFiles = 500

// completePath completes the files of a directory. The path may be typed as such or
// quoted as in a shell, and the candidates continue the same quoting.
func completePath(_ context.Context, _ *session, typed string) []lineedit.Candidate {
	word, quote := shell.Unquote(typed)
	out := filesBeginning(typed, word, func(rest string) string { return shell.Continue(rest, quote) }, quote)
	if word != typed { // such as an apostrophe
		out = append(out, filesBeginning(typed, typed, strings.Clone, 0)...)
	}
	return out
}

// filesBeginning returns candidates for files whose path begins with path, which the
// user entered as typed; encode quotes the rest of a name, and quote ends it.
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
