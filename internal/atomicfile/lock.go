package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Lock waits until no other process holds the lock of the file at path, takes it
// and returns what gives it back. Whoever reads a file, changes it and calls Write
// holds the lock meanwhile, so that no change is lost. The lock is a file beside
// it, path with ".lock", of mode 0600; it stays. Missing directories are made with
// mode 0700.
func Lock(path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	name := path + ".lock"
	// lockedfile would make the file with the process's umask.
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if unlock, err = lockedfile.MutexAt(name).Lock(); err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return unlock, nil
}
