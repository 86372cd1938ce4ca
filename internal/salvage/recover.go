// Package salvage checks the history file and recovers the readable parts of a
// damaged one into a new history. It reads pages and rows of files that SQLite
// refuses to read (https://www.sqlite.org/fileformat2.html) and trusts nothing in
// them: no page, pointer or length leads it out of bounds, into a loop, or to use
// more memory than the size of the file. It never changes the damaged file. Only
// package doctor uses it. It must not import commands or the terminal, and package
// history must not import it.
//
// It supports only UTF-8 databases without reserved bytes per page, the format that
// hobnob writes.
package salvage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Recovered counts the results of a recovery.
type Recovered struct {
	Conversations int
	Turns         int
	// Repaired counts rows that were changed or added: invalid values replaced, a
	// lost parent or head, a lost conversation recreated from its turns.
	Repaired int
	// LostConversations and LostTurns count the rows that the indexes of the file
	// list but that could not be read. Exact means that those indexes are complete.
	LostConversations, LostTurns int
	Exact                        bool
}

// Recovery is a new history built from the readable parts of a damaged one. It locks
// other processes out of the history until it is closed.
type Recovery struct {
	Recovered
	path    string // of the history
	newPath string // of the new file, empty once it is installed or removed
	damaged *files
}

// recoveredInfix is part of the names of new histories that are not installed yet.
const recoveredInfix = ".recovered-"

// Leftovers returns the paths of new histories, and of their logs, that killed repairs of
// the history in dir left behind.
func Leftovers(dir string) []string {
	path, err := historyIn(dir)
	if err != nil {
		return nil
	}
	left, _ := filepath.Glob(path + recoveredInfix + "*")
	return left
}

// historyIn returns the path of the history in dir, with symbolic links resolved,
// because SQLite writes the log next to the target of a link.
func historyIn(dir string) (string, error) {
	path := filepath.Join(dir, history.FileName)
	target, err := atomicfile.Target(path)
	if err != nil {
		return path, err
	}
	return target, nil
}

// Recover copies the readable parts of the history in dir to a new file next to it.
// It does not change the history itself before Install. It returns sqlite.ErrBusy if
// another process has the history open, and a *sqlite.NewerError if a newer hobnob
// wrote it.
func Recover(ctx context.Context, dir string) (_ *Recovery, err error) {
	path, err := historyIn(dir)
	if err != nil {
		return nil, err
	}
	from := path
	if backup := unfinishedInstall(path); backup != "" {
		from = backup
	}
	damaged, err := openFiles(from, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	r := &Recovery{path: path, damaged: damaged}
	defer func() {
		if err != nil {
			_ = r.Close()
		}
	}()
	if !lock(damaged.db) {
		return nil, fmt.Errorf("cannot repair %s: %w", path, sqlite.ErrBusy)
	}
	if damaged.content.isNewer() {
		return nil, &sqlite.NewerError{Path: path}
	}
	// Only one process can hold the lock, so these belong to killed ones.
	for _, left := range Leftovers(dir) {
		_ = os.Remove(left)
	}
	// CreateTemp sets mode 0600. SQLite opens the empty file as an empty database.
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+recoveredInfix+"*")
	if err != nil {
		return nil, err
	}
	r.newPath = f.Name()
	if err := errors.Join(r.fill(ctx, f), f.Close()); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", r.newPath, err)
	}
	return r, nil
}

// fill writes the recovered rows to the new file f and syncs it to disk.
func (r *Recovery) fill(ctx context.Context, f *os.File) error {
	db, err := sqlite.Open(ctx, r.newPath, history.Schema())
	if err != nil {
		return err
	}
	// The file is removed if this fails, so it needs no journal on disk.
	if _, err = db.ExecContext(ctx, `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF`); err == nil {
		r.Recovered, err = rebuildHistory(ctx, db.DB, r.damaged.content)
	}
	// Closing f earlier would drop the locks that SQLite holds on the file.
	return errors.Join(err, db.Close(), f.Sync())
}

// Close releases the history for other processes and removes the new file unless it
// was installed.
func (r *Recovery) Close() error {
	r.damaged.close()
	if r.newPath == "" {
		return nil
	}
	err := remove(r.newPath, "", "-wal", "-shm", "-journal")
	r.newPath = ""
	return err
}

// remove removes path with each of the suffixes, ignoring files that do not exist.
func remove(path string, suffixes ...string) error {
	var errs []error
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
