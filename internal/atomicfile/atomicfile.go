// Package atomicfile replaces a file in one step: after a crash or on a full disk it
// contains either the complete old or the complete new content. A write also removes
// the temporary files of killed writers of the same file. The package provides a lock for writers.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/hobnob-cli/hobnob/internal/input"
)

// Write replaces the content of path with data and returns once it is on disk. It
// creates the file with mode 0600 and missing directories with mode 0700. It follows
// symbolic links, including dangling ones, so that a dotfile manager can store the
// file elsewhere.
func Write(path string, data []byte) error {
	return Fill(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Fill is like Write, but fill writes the content, which can be larger than memory.
func Fill(path string, fill func(io.Writer) error) error {
	path, err := Target(path)
	if err != nil {
		return err
	}
	if err := input.Check(path); err != nil && !Missing(err) {
		return err // do not replace a device
	}
	return write(path, (*temporary).replace, fill)
}

// Missing reports whether err means that a file does not or cannot exist, as in
// HOME=/dev/null, the home directory of some service accounts.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Create is like Fill, but for a new file. If path exists, even as a symbolic link or
// created while fill runs, Create leaves it unchanged and returns fs.ErrExist.
func Create(path string, fill func(io.Writer) error) error {
	if err := absent(path); err != nil {
		return err
	}
	return write(path, (*temporary).create, fill)
}

func absent(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return nil
}

func write(path string, place func(*temporary, string) error, fill func(io.Writer) error) error {
	dir := filepath.Dir(path)
	if err := MakeDir(dir); err != nil {
		return err
	}
	sweep(path)
	t, err := newTemporary(path)
	if err != nil {
		return err
	}
	defer t.discard()
	if err := fill(t.File); err != nil {
		return err
	}
	if err := t.Sync(); err != nil {
		return err
	}
	if err := place(t, path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir flushes the names of the files in dir to disk. Before that a crash can undo
// a rename, a link or a removal. Windows has no such call and needs none.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
