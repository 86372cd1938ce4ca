package template

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

const extension = ".md"

//go:embed builtin/*.md
var builtin embed.FS

var errTooLarge = fmt.Errorf("it is larger than %d KiB", maxFile>>10)

// Library is where templates are: files NAME.md of a directory, and the built-in
// ones. A file comes before a built-in template of its name.
type Library struct {
	Dir       string // need not exist
	CheckName func(name string) error
}

// NotFoundError says that there is no template of a name.
type NotFoundError struct {
	Name  string
	Known []string // sorted
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("no template %q", e.Name) }

// Path is where the file of a template is, or would be.
func (l Library) Path(name string) string { return filepath.Join(l.Dir, name+extension) }

// Find reads a template. The error is a *NotFoundError, an *Error, or what
// CheckName says of the name.
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
	switch {
	case err == nil:
		return Source{Name: name, Path: path, Text: text}, nil
	case !absent(err):
		var known *fs.PathError // it would name the path again
		if errors.As(err, &known) {
			err = known.Err
		}
		return Source{}, &Error{Name: name, Path: path, What: err.Error()}
	}
	if text, err := builtin.ReadFile("builtin/" + name + extension); err == nil {
		return Source{Name: name, Text: text}, nil
	}
	known, _, err := l.Names()
	return Source{}, errors.Join(&NotFoundError{Name: name, Known: known}, err)
}

// IsBuiltin reports whether there is a built-in template of this name.
func IsBuiltin(name string) bool {
	_, err := fs.Stat(builtin, "builtin/"+name+extension)
	return err == nil
}

// Names returns the names of all templates, sorted, and the paths of the Markdown
// files that cannot be templates because of their names.
func (l Library) Names() (names, ignored []string, err error) {
	inside, err := fs.ReadDir(builtin, "builtin")
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range inside {
		names = append(names, strings.TrimSuffix(entry.Name(), extension))
	}
	files, err := os.ReadDir(l.Dir)
	if err != nil && !absent(err) {
		return names, nil, fmt.Errorf("cannot list the templates: %w", err)
	}
	for _, entry := range files {
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
	return slices.Compact(names), ignored, nil
}

// Save writes the file of a template, which must be right, in one step with mode
// 0600. Before is what the file held when it was read, nil if there was none; a
// file that holds something else now is not touched.
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
	meanwhile := &Error{Name: name, Path: path, What: "another process changed it meanwhile"}
	if before == nil {
		err := atomicfile.Create(path, func(w io.Writer) error {
			_, err := w.Write(after)
			return err
		})
		if errors.Is(err, fs.ErrExist) {
			return meanwhile
		}
		return err
	}
	now, err := readFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return meanwhile
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
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errTooLarge
	}
	return data, err
}

// absent holds for what is not there, nor can be: HOME=/dev/null has no directories.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
