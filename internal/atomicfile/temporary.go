package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// infix separates the name of the final file from a number in the name of a temporary
// file.
const infix = ".hobnob-"

// temporary is a file with mode 0600 that is being written. Where possible, it has no
// name until it is complete, so that a killed process leaves nothing behind. A file with
// a name is locked until its writer ends.
type temporary struct {
	*os.File
	name string // "" for none
}

func newTemporary(path string) (*temporary, error) {
	if f := openUnnamed(path); f != nil {
		return &temporary{File: f}, nil
	}
	return newNamed(path)
}

func newNamed(path string) (*temporary, error) {
	for {
		// CreateTemp opens with O_EXCL and mode 0600: other users can neither read the
		// file nor replace it with a link.
		f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+infix+"*")
		if err != nil {
			return nil, err
		}
		if hold(f) {
			return &temporary{f, f.Name()}, nil
		}
		_ = f.Close() // another process removed it before it was locked
	}
}

// replace renames the file to path and replaces an existing file.
func (t *temporary) replace(path string) error {
	if err := t.giveName(path); err != nil {
		return err
	}
	return t.rename(os.Rename, path)
}

// create renames the file to path. It returns fs.ErrExist if path exists.
func (t *temporary) create(path string) error {
	if t.name == "" {
		if err := link(t.File, path); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := t.giveName(path); err != nil {
		return err
	}
	return t.rename(renameNew, path)
}

// giveName gives the file a temporary name next to path, unless it has one. If that is
// not possible, it copies the file to one with a name.
func (t *temporary) giveName(path string) error {
	if t.name != "" {
		return nil
	}
	hold(t.File)
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s%s%d", filepath.Base(path), infix, rand.Uint32()))
		err := link(t.File, name)
		if err == nil {
			t.name = name
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	named, err := newNamed(path)
	if err != nil {
		return err
	}
	unnamed := t.File
	*t = *named
	_, err = unnamed.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(t.File, unnamed)
	}
	return errors.Join(err, t.Sync(), unnamed.Close())
}

func (t *temporary) rename(rename func(from, to string) error, path string) error {
	if runtime.GOOS == "windows" { // where an open file cannot be renamed
		if err := t.Close(); err != nil {
			return err
		}
	}
	if err := rename(t.name, path); err != nil {
		return err
	}
	t.name = ""
	return nil
}

// discard closes the file and removes its temporary name.
func (t *temporary) discard() {
	if runtime.GOOS == "windows" { // where an open file cannot be removed
		_ = t.Close()
	}
	if t.name != "" {
		_ = os.Remove(t.name)
	}
	_ = t.Close()
}

// renameNew is like os.Rename, but replaces nothing. On file systems without hard
// links it may replace a file created at the same moment.
func renameNew(from, to string) error {
	if os.Link(from, to) == nil {
		return os.Remove(from)
	}
	if err := absent(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Leftovers returns the sorted paths of the temporary files in dir that killed processes
// left behind. Except on Windows, it omits files that a process is writing.
func Leftovers(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var left []string
	for _, entry := range entries {
		name := entry.Name()
		i := strings.LastIndex(name, infix)
		if i > 0 && name[0] == '.' && entry.Type().IsRegular() && isNumber(name[i+len(infix):]) && !held(filepath.Join(dir, name)) {
			left = append(left, filepath.Join(dir, name))
		}
	}
	return left
}

// LeftoversOf returns those Leftovers in the directory of path that belong to path.
func LeftoversOf(path string) []string {
	prefix := "." + filepath.Base(path) + infix
	return slices.DeleteFunc(Leftovers(filepath.Dir(path)), func(left string) bool {
		return !strings.HasPrefix(filepath.Base(left), prefix)
	})
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func sweep(path string) {
	for _, left := range LeftoversOf(path) {
		_ = os.Remove(left)
	}
}
