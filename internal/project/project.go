// Package project finds and reads the project file: settings that a directory, such as
// a repository, supplies to those who work in it. It also records which directories the
// user trusts.
//
// The file comes from others. Before the user trusts its directory, it is not opened.
// After that, it can only choose among what the user has: it cannot set an address, a
// token, a command or a file outside of its directory.
package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Name is the name of a project file.
const Name = ".hobnob.yaml"

// maxFile is the maximum size of a project file in bytes.
const maxFile = 64 << 10

// Project is the project of a working directory. The zero Project is none.
type Project struct {
	Dir string // absolute, without links
	// Ignored is the reason why the file has no effect, or nil.
	Ignored error
	// Err is the reason why the file cannot be used although its directory is trusted, or
	// nil.
	Err error
	Settings
}

// Exists reports whether there is a project file.
func (p Project) Exists() bool { return p.Dir != "" }

// Path returns the path of the file, or "" if there is none.
func (p Project) Path() string {
	if p.Dir == "" {
		return ""
	}
	return filepath.Join(p.Dir, Name)
}

// Load returns the project of a directory. It reads the file only if the directory is
// trusted.
func Load(start, home string, trusted Trusted) Project {
	dir := Find(start, home)
	if dir == "" {
		return Project{}
	}
	p := Project{Dir: dir}
	if p.Ignored = trusted.Check(dir); p.Ignored == nil {
		p.Ignored = CheckSafe(dir)
	}
	if p.Ignored == nil {
		p.Settings, p.Err = Read(dir)
	}
	return p
}

// Find returns the nearest directory with a project file, without links: start, or one
// above it up to the home directory, or up to the root if start is not below home. It
// returns "" if there is none.
func Find(start, home string) string {
	dir, err := filepath.EvalSymlinks(start)
	if err != nil {
		return ""
	}
	if home, err = filepath.EvalSymlinks(home); err != nil {
		home = ""
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, Name)); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if dir == home || above == dir {
			return ""
		}
		dir = above
	}
}

// CheckSafe returns an *UnsafeError if other users than the owner of the directory can
// write its project file.
func CheckSafe(dir string) error {
	path := filepath.Join(dir, Name)
	if problem := access.CheckPlanted(path); problem != nil {
		return &UnsafeError{Path: path, Problem: *problem}
	}
	return nil
}

// Read reads the project file of a directory. Errors are *FileError.
func Read(dir string) (Settings, error) {
	path := filepath.Join(dir, Name)
	// A link could lead to a file that other users write.
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		err = errors.New("it is a symbolic link")
	}
	if err != nil {
		return Settings{}, &FileError{Path: path, Err: err}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Settings{}, &FileError{Path: path, Err: err}
	}
	defer func() { _ = root.Close() }()
	text, err := input.ReadFileIn(root, Name, maxFile)
	if err != nil {
		return Settings{}, &FileError{Path: path, Err: err}
	}
	settings, err := parse(text)
	if err == nil && settings.InstructionsFile != "" {
		settings.Instructions, err = readInstructions(root, dir, settings.InstructionsFile)
	}
	var bad *FileError
	if errors.As(err, &bad) && bad.Path == "" {
		bad.Path = path
	}
	return settings, err
}

// readInstructions reads the file of instructions. Errors are *FileError.
func readInstructions(root *os.Root, dir, name string) (string, error) {
	inside, err := resolve(dir, name)
	if err != nil {
		return "", err
	}
	data, err := input.ReadFileIn(root, inside, config.MaxInstructions)
	if err != nil {
		return "", &FileError{Path: filepath.Join(dir, name), Err: err}
	}
	text := strings.NewReplacer("\ufeff", "", "\r\n", "\n").Replace(string(data))
	if err := checkText(text); err != nil {
		return "", &FileError{Path: filepath.Join(dir, name), Err: err}
	}
	return strings.TrimRightFunc(text, unicode.IsSpace), nil
}

// TemplatePaths returns the directories of templates as absolute paths without links. A
// path that leads out of the project is an error.
func (p Project) TemplatePaths() ([]string, error) {
	var dirs []string
	for _, path := range p.Templates {
		inside, err := resolve(p.Dir, path)
		var bad *FileError
		if errors.As(err, &bad) {
			bad.Path = p.Path()
			return nil, bad
		}
		dirs = append(dirs, filepath.Join(p.Dir, inside))
	}
	return dirs, nil
}

// resolve returns the path to which a path in a directory leads, relative to the
// directory and without links. The error is a *FileError without a path.
func resolve(dir, path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(filepath.Join(dir, path))
	if errors.Is(err, os.ErrNotExist) {
		return path, nil // reported when it is read
	}
	if err != nil {
		return "", &FileError{Err: err}
	}
	inside, err := filepath.Rel(dir, resolved)
	if err != nil || !filepath.IsLocal(inside) {
		return "", &FileError{Err: fmt.Errorf("%q leads out of %s", path, dir)}
	}
	return inside, nil
}

// Settings are the settings of a project file.
type Settings struct {
	Agent        string // an alias, or ""
	Instructions string // text, also of InstructionsFile
	// InstructionsFile is a path relative to the directory of the file, or "".
	InstructionsFile string
	Templates        []string // directories of templates, relative to that of the file
	Files            []string // files, directories and patterns, relative to it
}

// Describe returns the settings that the file sets, as names and values.
func (s Settings) Describe() [][2]string {
	pairs := [][2]string{
		{"agent", s.Agent}, {"instructions_file", s.InstructionsFile}, {"instructions", s.Instructions}, {"templates", strings.Join(s.Templates, ", ")},
		{"files", strings.Join(s.Files, ", ")},
	}
	return slices.DeleteFunc(pairs, func(pair [2]string) bool {
		return pair[1] == "" || pair[0] == "instructions" && s.InstructionsFile != ""
	})
}
