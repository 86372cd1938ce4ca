package template

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

const extension = ".md"

//go:embed builtin/*.md
var builtin embed.FS

var errTooLarge = fmt.Errorf("larger than %d KiB", maxFile>>10)

// Library holds the templates of a directory, files called NAME.md, and the built-in
// ones. A file takes precedence over the built-in template of the same name.
type Library struct {
	Dir       string // need not exist
	CheckName func(name string) error
}

// Starter is the initial text of a new template in an editor.
//
//go:embed starter.md
var Starter string

// Path returns the path of a template's file, which need not exist.
func (l Library) Path(name string) string { return filepath.Join(l.Dir, name+extension) }

// Find reads and parses a template. The error is of kind failure.NotFound, an *Error,
// or that of CheckName.
func (l Library) Find(name string) (*Template, error) {
	source, err := l.Source(name)
	if err != nil {
		return nil, err
	}
	return Parse(source)
}

// Source reads a template without parsing it, so that an invalid one can be shown.
func (l Library) Source(name string) (Source, error) {
	if err := l.CheckName(name); err != nil {
		return Source{}, err
	}
	path := l.Path(name)
	text, err := readFile(path)
	if err == nil {
		return Source{Name: name, Path: path, Text: text}, nil
	}
	if !atomicfile.Missing(err) {
		if inner, ok := errors.AsType[*fs.PathError](err); ok {
			err = inner.Err // Error contains the path
		}
		return Source{}, &Error{Name: name, Path: path, What: err.Error()}
	}
	if text, err := builtin.ReadFile("builtin/" + name + extension); err == nil {
		return Source{Name: name, Text: text}, nil
	}
	known, _, err := l.Names()
	hint := failure.Hintf("templates: %s; to create it: hobnob templates edit %s", strings.Join(known, ", "), name)
	if near := suggest.Nearest(name, known); near != "" {
		hint = failure.Hintf("did you mean %q?", near)
	}
	return Source{}, errors.Join(failure.New(failure.NotFound, hint, fmt.Sprintf("unknown template %q", name)), err)
}

// IsBuiltin reports whether name is a built-in template.
func IsBuiltin(name string) bool {
	_, err := fs.Stat(builtin, "builtin/"+name+extension)
	return err == nil
}

// Names returns the names of all templates, sorted, and the paths of Markdown files
// that are ignored because their names are invalid.
func (l Library) Names() (names, ignored []string, err error) {
	entries, _ := builtin.ReadDir("builtin") // embedded: it cannot fail
	files, err := os.ReadDir(l.Dir)
	if atomicfile.Missing(err) {
		err = nil
	} else if err != nil {
		err = fmt.Errorf("cannot list the templates: %w", err)
	}
	for _, entry := range append(entries, files...) {
		name, ok := strings.CutSuffix(entry.Name(), extension)
		switch {
		case !ok || strings.HasPrefix(name, "."):
		case l.CheckName(name) != nil:
			ignored = append(ignored, filepath.Join(l.Dir, entry.Name()))
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), ignored, err
}

// Save replaces the file of a template atomically, with mode 0600. The text must be
// valid. Before is the content of the file when it was read, nil if it did not exist;
// if another process has changed the file since, Save fails.
func (l Library) Save(name string, before, after []byte) error {
	path := l.Path(name)
	if _, err := Parse(Source{Name: name, Path: path, Text: after}); err != nil {
		return err
	}
	unlock, err := atomicfile.Lock(l.Dir)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := readFile(path)
	if err != nil && !atomicfile.Missing(err) {
		return err
	}
	if (now == nil) != (before == nil) || !bytes.Equal(now, before) {
		return &Error{Name: name, Path: path, What: "changed by another process in the meantime"}
	}
	return atomicfile.Write(path, after)
}

// Delete removes the file of a template. If it is a symbolic link, the target stays.
func (l Library) Delete(name string) error {
	if err := l.CheckName(name); err != nil {
		return err
	}
	return os.Remove(l.Path(name))
}

func readFile(path string) ([]byte, error) {
	return input.ReadFile(path, maxFile)
}
