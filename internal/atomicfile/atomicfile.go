// Package atomicfile replaces a file in one step, so that a crash or a full
// disk leaves either the old content or the new, never a part of it, and lets one
// writer in at a time. It is a shared leaf: it imports nothing of hobnob.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write replaces the content of path with data and returns once it is on disk.
// The file has mode 0600 from its creation; missing directories are made with
// mode 0700. A symbolic link is followed, so that a file which a dotfile
// manager owns stays where it put it.
func Write(path string, data []byte) error {
	return Fill(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Fill is Write of what fill writes, which need not fit into memory.
func Fill(path string, fill func(io.Writer) error) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	return write(path, os.Rename, fill)
}

// Missing reports whether err means that a file does not exist, nor can:
// HOME=/dev/null, as service accounts have it, has no directories.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Create is Fill of a new file. Whatever exists at path, a symbolic link too, is
// left as it is and fs.ErrExist, also when it comes while fill runs.
func Create(path string, fill func(io.Writer) error) error {
	if err := absent(path); err != nil {
		return err
	}
	return write(path, renameNew, fill)
}

func absent(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return nil
}

// renameNew is os.Rename that replaces nothing. Where the file system has no
// hard links a file that appears in the same moment would be replaced.
func renameNew(from, to string) error {
	if os.Link(from, to) == nil {
		return os.Remove(from)
	}
	if err := absent(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func write(path string, rename func(from, to string) error, fill func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// CreateTemp opens with O_EXCL and mode 0600: no other user can read it or
	// put a link in its place.
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err = fill(f); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// target resolves symbolic links of path; a file that does not exist yet is
// its own target.
func target(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return resolved, err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
	}
	return path, nil
}

// SyncDir returns once the names of the files in dir are on disk: until then a
// crash can undo a rename, a link or a removal. Windows has no such call and needs
// none.
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
