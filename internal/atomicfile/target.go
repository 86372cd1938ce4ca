package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Target returns the path of the file to which path leads through symbolic links,
// whether or not the file exists. Opening a dangling link would create the file with
// another mode; the caller can create the target with mode 0600 first.
func Target(path string) (string, error) {
	for {
		resolved, err := filepath.EvalSymlinks(path)
		switch {
		case errors.Is(err, syscall.ENOTDIR): // a parent is not a directory
			return path, nil
		case !errors.Is(err, fs.ErrNotExist):
			return resolved, err
		}
		dir, name := filepath.Split(filepath.Clean(path))
		if dir == "" || name == "" {
			return path, nil
		}
		if dir, err = Target(filepath.Clean(dir)); err != nil {
			return "", err
		}
		path = filepath.Join(dir, name)
		link, err := os.Readlink(path)
		switch {
		case err != nil: // a missing file
			return path, nil
		case filepath.IsAbs(link):
			path = link
		default:
			path = filepath.Join(dir, link)
		}
	}
}

// MakeDir creates the directory to which path leads, and its missing parents, with
// mode 0700.
func MakeDir(path string) error {
	target, err := Target(path)
	if err != nil {
		return err
	}
	return os.MkdirAll(target, 0o700)
}
