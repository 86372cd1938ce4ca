package template

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// folder is a directory of templates.
type folder struct {
	kind kind
	dir  string // empty if embedded
}

type kind int

const (
	own      kind = iota
	shared        // may contain files of other people, so links must not lead out of it
	embedded      // in this program
)

var errLeavesDirectory = errors.New("is a symbolic link to an absolute path or out of the directory")

// maxEntries is the maximum number of files in a directory.
const maxEntries = 100_000

// path returns the path of a template's file in hobnob's own format.
func (f folder) path(name string) string { return filepath.Join(f.dir, name+extension) }

// isReadme reports whether a name is that of the description of a shared directory.
func (f folder) isReadme(name string) bool {
	return f.kind == shared && strings.EqualFold(name, "readme")
}

// names returns the names of the templates in the directory, some of them maybe invalid.
func (f folder) names() ([]string, error) {
	var entries []fs.DirEntry
	var err error
	if f.kind == embedded {
		entries, err = builtin.ReadDir("builtin")
	} else {
		entries, err = readDir(f.dir)
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), extension); ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names, err
}

// readDir returns the first entries of a directory, unsorted.
func readDir(path string) ([]fs.DirEntry, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() { // opening a named pipe blocks
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	entries, err := dir.ReadDir(maxEntries)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// read reads a template. The error of a missing one matches atomicfile.Missing; others are
// *Error.
func (f folder) read(name string) (Source, error) {
	if f.kind == embedded {
		text, err := builtin.ReadFile("builtin/" + name + extension)
		return Source{Name: name, Text: text}, err
	}
	source := Source{Name: name, Path: f.path(name), Dir: f.dir}
	var err error
	source.Text, err = f.readFile(name + extension)
	if err == nil || atomicfile.Missing(err) {
		return source, err
	}
	return source, &Error{Name: name, Path: source.Path, What: failure.Reason(err).Error()}
}

// readFile reads a file at a path relative to the directory.
func (f folder) readFile(path string) ([]byte, error) {
	if f.kind == own {
		return input.ReadFile(filepath.Join(f.dir, path), maxFile)
	}
	if info, err := os.Stat(f.dir); err == nil && !info.IsDir() { // opening a named pipe blocks
		return nil, syscall.ENOTDIR
	}
	dir, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	text, err := input.ReadFileIn(dir, path, maxFile)
	if info, lerr := dir.Lstat(path); err != nil && lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, terr := os.Stat(filepath.Join(f.dir, path)); terr == nil && target.Mode().IsRegular() {
			return nil, errLeavesDirectory
		}
	}
	return text, err
}
