package template

import (
	"bytes"
	"embed"
	"fmt"
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

// Library holds the templates of several directories, and the built-in ones. If a name
// occurs more than once, the first template in this order is used: Dir, the shared
// directories in their order, built-in.
type Library struct {
	// Dir contains the user's own templates, files called NAME.md. It need not exist.
	// It is the only directory that Save and Delete change.
	Dir       string
	Shared    []string // absolute paths; a missing directory contains no templates
	CheckName func(name string) error
}

// Starter is the initial text of a new template in an editor.
//
//go:embed starter.md
var Starter string

// Path returns the path of the file of the user's own template, which need not exist.
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
	for _, f := range l.folders() {
		if source, err := f.read(name); !atomicfile.Missing(err) {
			return source, err
		}
	}
	const most = 20
	known := l.Names()
	hint := failure.Hintf("templates: %s; to create it: hobnob templates edit %s", strings.Join(known[:min(len(known), most)], ", "), name)
	if len(known) > most {
		hint = failure.Hintf("to list the templates: hobnob templates list; to create it: hobnob templates edit %s", name)
	}
	if near := suggest.Nearest(name, known); near != "" {
		hint = failure.Hintf("did you mean %q?", near)
	}
	return Source{}, failure.New(failure.NotFound, hint, fmt.Sprintf("unknown template %q", name))
}

// Names returns the names of all templates, sorted. Directories that cannot be read are
// omitted.
func (l Library) Names() []string {
	var names []string
	for _, group := range l.Groups() {
		names = append(names, group.Names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Group lists the templates of one directory.
type Group struct {
	Dir   string // empty for the built-in templates
	Names []string
	// Ignored are the paths of templates with invalid names.
	Ignored []string
	// Err is why the directory cannot be listed. A missing directory is an error that
	// matches fs.ErrNotExist, except that of the user's own templates.
	Err    error
	folder folder
}

// Source reads a template of the group.
func (g Group) Source(name string) (Source, error) { return g.folder.read(name) }

// Groups lists all templates without reading them: the user's own, those of the shared
// directories, and the built-in ones. A name in an earlier group replaces the same name
// in a later one.
func (l Library) Groups() []Group {
	var groups []Group
	for _, f := range l.folders() {
		group := Group{Dir: f.dir, folder: f}
		entries, err := f.entries()
		if err != nil && !(f.kind == own && atomicfile.Missing(err)) {
			group.Err = err
		}
		for _, entry := range entries {
			if l.CheckName(entry.name) == nil {
				group.Names = append(group.Names, entry.name)
			} else {
				group.Ignored = append(group.Ignored, entry.path)
			}
		}
		slices.Sort(group.Names)
		group.Names = slices.Compact(group.Names)
		groups = append(groups, group)
	}
	return groups
}

func (l Library) folders() []folder {
	folders := []folder{{kind: own, dir: l.Dir}}
	for _, dir := range l.Shared {
		folders = append(folders, folder{kind: shared, dir: dir})
	}
	return append(folders, folder{kind: embedded})
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
	now, err := input.ReadFile(path, maxFile)
	if err != nil && !atomicfile.Missing(err) {
		return err
	}
	if (now == nil) != (before == nil) || !bytes.Equal(now, before) {
		return &Error{Name: name, Path: path, What: "changed by another process in the meantime"}
	}
	return atomicfile.Write(path, after)
}

// Delete removes the file of the user's own template. If it is a symbolic link, the
// target stays.
func (l Library) Delete(name string) error {
	if err := l.CheckName(name); err != nil {
		return err
	}
	return os.Remove(l.Path(name))
}
