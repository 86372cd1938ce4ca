package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// create creates an empty private file at the target of path, because SQLite would
// use the umask of the process, even for a dangling link. It must not open an
// existing file: closing a second descriptor of a database drops the locks that
// SQLite holds on it.
func create(path string) error {
	if err := checkKinds(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	target, err := atomicfile.Target(path)
	if err != nil {
		return err
	}
	if err := atomicfile.MakeDir(filepath.Dir(target)); err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// checkKinds returns an error if the database is missing, or if it or one of its logs
// is not a regular file: SQLite would wait for a named pipe and ignore any context.
func checkKinds(path string) error {
	target, err := atomicfile.Target(path)
	if err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		err := input.Check(target + suffix)
		var kind *input.KindError
		switch {
		case errors.As(err, &kind):
			return failure.New(failure.History, failure.Plain(look), fmt.Sprintf("cannot open %s: %v", target+suffix, kind))
		case suffix == "":
			return err
		}
	}
	return nil
}
