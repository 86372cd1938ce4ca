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

// formats are the endings of the files that contain templates in a shared directory, in
// the order in which they are searched for a name.
var formats = []struct {
	ending string
	format Format
}{
	{extension, Own}, {".prompt.md", Prompt}, {".yaml", LLM}, {"/system.md", Fabric},
}

// entry is a template in a directory.
type entry struct{ name, path string }

// entries returns the templates in the directory. Their names may be invalid.
func (f folder) entries() ([]entry, error) {
	var files []fs.DirEntry
	var err error
	if f.kind == embedded {
		files, err = builtin.ReadDir("builtin")
	} else {
		files, err = readDir(f.dir)
	}
	var found []entry
	for _, file := range files {
		if name, ok := f.nameOf(file); ok {
			found = append(found, entry{name, filepath.Join(f.dir, file.Name())})
		}
	}
	return found, err
}

// nameOf returns the name of the template in a file or a directory. In a shared directory,
// files such as README.md are not templates.
func (f folder) nameOf(file fs.DirEntry) (name string, ok bool) {
	name = file.Name()
	switch {
	case strings.HasPrefix(name, "."):
		return "", false
	case f.kind != shared:
		return strings.CutSuffix(name, extension)
	case strings.EqualFold(name, "readme.md"):
		return "", false
	case file.IsDir() || file.Type() == fs.ModeSymlink:
		if err := input.Check(filepath.Join(f.dir, name, "system.md")); err == nil {
			return name, true
		}
	}
	longest := ""
	for _, format := range formats {
		if strings.HasSuffix(name, format.ending) && len(format.ending) > len(longest) {
			longest = format.ending
		}
	}
	return strings.TrimSuffix(name, longest), longest != "" && !file.IsDir()
}

// checkDir returns an error if a file is not a directory: opening a named pipe blocks.
func checkDir(path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return nil
}

// readDir returns the first entries of a directory, unsorted.
func readDir(path string) ([]fs.DirEntry, error) {
	if err := checkDir(path); err != nil {
		return nil, err
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
	source := Source{Name: name, Path: filepath.Join(f.dir, name+extension), Dir: f.dir}
	var err error
	if f.kind == own {
		source.Text, err = input.ReadFile(source.Path, maxFile)
	} else {
		err = f.readShared(&source)
	}
	if err == nil || atomicfile.Missing(err) {
		return source, err
	}
	return source, &Error{Name: name, Path: source.Path, What: failure.Reason(err).Error()}
}

// readShared sets the text, the path and the format of a template in a shared directory.
func (f folder) readShared(source *Source) error {
	if err := checkDir(f.dir); err != nil {
		return err
	}
	dir, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	for _, format := range formats {
		path := source.Name + format.ending
		source.Text, err = f.readIn(dir, path)
		if atomicfile.Missing(err) {
			continue
		}
		source.Path, source.Format = filepath.Join(f.dir, path), format.format
		if format.format == Own && isPrompt(source.Text) {
			source.Format = Prompt
		}
		return err
	}
	return err
}

func (f folder) readIn(dir *os.Root, path string) ([]byte, error) {
	text, err := input.ReadFileIn(dir, path, maxFile)
	if err == nil || atomicfile.Missing(err) {
		return text, err
	}
	if _, inside := dir.Stat(path); inside != nil {
		if _, outside := os.Stat(filepath.Join(f.dir, path)); outside == nil {
			return nil, errLeavesDirectory
		}
	}
	return nil, err
}
