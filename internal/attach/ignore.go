package attach

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hobnob-cli/hobnob/internal/input"
)

const (
	ignoreFile = ".gitignore"
	// maxIgnoreFile is the maximum size of a file with patterns.
	maxIgnoreFile = 256 << 10
)

// rules are the patterns of a .gitignore file and of those above it. They follow
// gitignore(5): the last pattern that matches decides, and a file cannot be included
// again if a directory above it is ignored. Programs such as git are never run, because
// the configuration of a repository can make git run others.
//
// Nil is valid and ignores nothing.
type rules struct {
	dir      string // of the file, relative to the repository
	patterns []pattern
	above    *rules
}

// pattern is a line of a .gitignore file.
type pattern struct {
	glob     string // of package doublestar
	include  bool   // !
	dirOnly  bool
	baseOnly bool // matches the last part of a path
}

// rulesAbove returns the rules that apply in a directory, without those in itself, and
// its path in the repository. If the directory is ignored, the user means it anyway:
// there are no rules.
func rulesAbove(dir string) (prefix string, above *rules, err error) {
	dir = realPath(dir)
	top := dir
	for !isRepository(top) {
		up := filepath.Dir(top)
		if up == top {
			return "", nil, nil
		}
		top = up
	}
	if above, err = above.with("", func() ([]byte, error) { return readRegular(filepath.Join(top, ".git", "info", "exclude")) }); err != nil {
		return "", nil, err
	}
	prefix, err = filepath.Rel(top, dir)
	if err != nil || prefix == "." {
		return "", above, err
	}
	prefix = filepath.ToSlash(prefix)
	at := ""
	for _, part := range strings.Split(prefix, "/") {
		file := filepath.Join(top, filepath.FromSlash(at), ignoreFile)
		if above, err = above.with(at, func() ([]byte, error) { return readRegular(file) }); err != nil {
			return "", nil, err
		}
		if at = path.Join(at, part); above.match(at, true) {
			return prefix, nil, nil
		}
	}
	return prefix, above, nil
}

func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// readRegular reads a file if it is not a symbolic link, as git does.
func readRegular(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return input.ReadFile(name, maxIgnoreFile)
}

// in returns r with the rules of the .gitignore file in a directory of root, whose path
// in the repository is full.
func (r *rules) in(root *os.Root, dir, full string) (*rules, error) {
	return r.with(full, func() ([]byte, error) {
		name := path.Join(dir, ignoreFile)
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil, err
		}
		return input.ReadFileIn(root, name, maxIgnoreFile)
	})
}

// with returns r with the rules of a file, if it exists.
func (r *rules) with(dir string, read func() ([]byte, error)) (*rules, error) {
	data, err := read()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // .git may be a file
		return r, nil
	}
	patterns := parsePatterns(string(data))
	if err != nil || len(patterns) == 0 {
		return r, err
	}
	if dir == "." {
		dir = ""
	}
	return &rules{dir: dir, patterns: patterns, above: r}, nil
}

// match reports whether a path in the repository is ignored, not considering the
// directories above it.
func (r *rules) match(name string, isDir bool) bool {
	for ; r != nil; r = r.above {
		inside := strings.TrimPrefix(strings.TrimPrefix(name, r.dir), "/")
		for _, p := range slices.Backward(r.patterns) {
			if p.match(inside, isDir) {
				return !p.include
			}
		}
	}
	return false
}

func (p pattern) match(name string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if p.baseOnly {
		name = path.Base(name)
	}
	return p.glob == name || doublestar.MatchUnvalidated(p.glob, name)
}

func parsePatterns(text string) []pattern {
	var patterns []pattern
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = trimSpaces(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		var p pattern
		line, p.include = strings.CutPrefix(line, "!")
		line, p.dirOnly = strings.CutSuffix(line, "/")
		p.baseOnly = !strings.Contains(line, "/")
		p.glob = globOf(strings.TrimPrefix(line, "/"))
		if doublestar.ValidatePattern(p.glob) {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// trimSpaces removes spaces from the end of a line, except after a backslash.
func trimSpaces(line string) string {
	trimmed := strings.TrimRight(line, " ")
	if len(trimmed) < len(line) && strings.HasSuffix(trimmed, `\`) && (len(trimmed)-len(strings.TrimRight(trimmed, `\`)))%2 == 1 {
		trimmed += " "
	}
	return trimmed
}

// differences replaces what package doublestar writes in another way.
var differences = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`, "[]", `[\]`, "[!]", `[!\]`, "[^]", `[^\]`, "[:alnum:]", "a-zA-Z0-9", "[:alpha:]", "a-zA-Z", "[:digit:]", "0-9",
	"[:lower:]", "a-z", "[:upper:]", "A-Z", "[:xdigit:]", "0-9a-fA-F", "[:space:]", " \t-\r", "[:blank:]", " \t")

// globOf returns a pattern of gitignore(5) as one of package doublestar.
func globOf(text string) string {
	glob := differences.Replace(text)
	// Two asterisks at the end match what is inside, not the directory itself.
	if inside, ok := strings.CutSuffix(glob, "/**"); ok {
		glob = inside + "/**/*"
	}
	return glob
}
