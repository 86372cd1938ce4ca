// Package salvage checks the file of the history and makes a new history of what
// can be read of a damaged one. It reads the pages and rows of a file that SQLite
// itself refuses to read (https://www.sqlite.org/fileformat2.html) and takes
// nothing in it for granted: no page, pointer or length leads it out of bounds,
// into a loop or to more memory than the file is large. It never changes the
// damaged file. Only doctor uses it; it must not know commands or the terminal,
// and package history does not know it.
//
// It reads files in UTF-8 without reserved bytes on their pages, which is how
// hobnob makes them.
package salvage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Recovered is what a recovery found.
type Recovered struct {
	Conversations int
	Turns         int
	// Repaired are rows with a change: bytes that are not text, a parent or head
	// that was lost, a conversation of which only turns were left.
	Repaired int
	// LostConversations and LostTurns are listed by the indexes of the file and
	// could not be read. Exact means that those indexes are complete.
	LostConversations, LostTurns int
	Exact                        bool
}

// Recovery is a new history made from what can be read of a damaged one. It
// keeps other processes out of the history until it is closed.
type Recovery struct {
	Recovered
	path    string // of the history
	newPath string // of the new file, empty when it is installed or removed
	damaged *files
}

// Recover reads what can be read of the history in dir into a new file next to it.
// Nothing of the history itself is changed before Install. The error is
// sqlite.ErrBusy when another process has the history open, a
// *history.ReadOnlyError when a newer hobnob wrote it.
func Recover(ctx context.Context, dir string) (_ *Recovery, err error) {
	path := filepath.Join(dir, history.FileName)
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
	if newer, err := isNewer(ctx, damaged.content); err != nil {
		return nil, err
	} else if newer {
		return nil, &history.ReadOnlyError{Path: path}
	}
	// A random name with mode 0600, which SQLite then opens as an empty database.
	f, err := os.CreateTemp(dir, history.FileName+".recovered-*")
	if err != nil {
		return nil, err
	}
	r.newPath = f.Name()
	if err := errors.Join(r.fill(ctx, f), f.Close()); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", r.newPath, err)
	}
	return r, nil
}

// fill fills the new file f, which is on disk when it returns.
func (r *Recovery) fill(ctx context.Context, f *os.File) error {
	db, err := sqlite.Open(ctx, r.newPath, history.Schema())
	if err != nil {
		return err
	}
	// The file is removed if this fails, so nothing of it is journalled on disk.
	if _, err = db.ExecContext(ctx, `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF`); err == nil {
		r.Recovered, err = rebuildHistory(ctx, db.DB, r.damaged.content)
	}
	// Closing f earlier would drop the locks that SQLite holds on the file.
	return errors.Join(err, db.Close(), f.Sync())
}

// Close lets other processes use the history again, and removes the new file if it
// was not installed.
func (r *Recovery) Close() error {
	r.damaged.close()
	if r.newPath == "" {
		return nil
	}
	err := remove(r.newPath, "", "-wal", "-shm", "-journal")
	r.newPath = ""
	return err
}

// remove removes the files with these endings that exist.
func remove(path string, suffixes ...string) error {
	var errs []error
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
