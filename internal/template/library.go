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
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

const extension = ".md"

//go:embed builtin/*.md
var builtin embed.FS

var errTooLarge = fmt.Errorf("it is larger than %d KiB", maxFile>>10)

// Library is a directory of templates, files NAME.md, together with the built-in
// ones. A file hides a built-in template of its name.
type Library struct {
	Dir       string // need not exist
	CheckName func(name string) error
}

// Starter is the text of a new template, for an editor.
//
//go:embed starter.md
var Starter string

// Path is where the file of a template is, or would be.
func (l Library) Path(name string) string { return filepath.Join(l.Dir, name+extension) }

// Find reads a template. The error is one of kind failure.NotFound, an *Error, or
// that of CheckName.
func (l Library) Find(name string) (*Template, error) {
	source, err := l.Source(name)
	if err != nil {
		return nil, err
	}
	return Parse(source)
}

// Source is Find of a template as it is written, which may be broken.
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
			err = inner.Err // without the path, which Error has
		}
		return Source{}, &Error{Name: name, Path: path, What: err.Error()}
	}
	if text, err := builtin.ReadFile("builtin/" + name + extension); err == nil {
		return Source{Name: name, Text: text}, nil
	}
	known, _, err := l.Names()
	hint := failure.Hintf("templates here: %s; a new one is made by: hobnob templates edit %s", strings.Join(known, ", "), name)
	if near := suggest.Nearest(name, known); near != "" {
		hint = failure.Hintf("did you mean %q? see: hobnob templates list", near)
	}
	return Source{}, errors.Join(failure.New(failure.NotFound, hint, fmt.Sprintf("no template %q", name)), err)
}

// IsBuiltin reports whether there is a built-in template of this name.
func IsBuiltin(name string) bool {
	_, err := fs.Stat(builtin, "builtin/"+name+extension)
	return err == nil
}

// Names returns the names of all templates, sorted, and the paths of the Markdown
// files that cannot be templates because of their names.
func (l Library) Names() (names, ignored []string, err error) {
	entries, _ := builtin.ReadDir("builtin") // it is part of the program
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

// Save writes the file of a template, which must be valid, in one step with mode
// 0600. Before is what the file held when it was read, nil if there was none; a
// file that holds something else by now is not touched.
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
		return &Error{Name: name, Path: path, What: "another process changed it meanwhile"}
	}
	return atomicfile.Write(path, after)
}

// Delete removes the file of a template; of a symbolic link, the link alone.
func (l Library) Delete(name string) error {
	if err := l.CheckName(name); err != nil {
		return err
	}
	return os.Remove(l.Path(name))
}

func readFile(path string) ([]byte, error) {
	// Opening a pipe would wait for somebody to write to it.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	case info.Size() > maxFile:
		return nil, errTooLarge
	}
	return os.ReadFile(path)
}
