package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Lock waits for the lock of the file at path, takes it and returns the function that
// releases it. Hold the lock while you read a file, change it and call Write, so that
// no change is lost. The lock is a file with the suffix ".lock" and mode 0600, which
// is never removed. Lock creates missing directories with mode 0700.
func Lock(path string) (unlock func(), err error) {
	if err := MakeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	name := path + ".lock"
	// lockedfile would create the file with the umask of the process.
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
