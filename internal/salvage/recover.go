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
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// asideInfix stands in the names of damaged histories that were kept.
const asideInfix = ".damaged-"

// Recovered says what a recovery found.
type Recovered struct {
	Conversations int
	Turns         int
	// Mended are rows kept with a change: a byte of text that was no text, a
	// parent or head that was lost, a conversation of which only turns were left.
	Mended int
	// LostConversations and LostTurns were named by the indexes of the file and
	// could not be read. Exact says that those indexes are whole.
	LostConversations, LostTurns int
	Exact                        bool
}

// Recovery is a new history made from what can be read of a damaged one. It
// keeps other processes out of the history until it is closed.
type Recovery struct {
	Recovered
	path    string // of the history
	made    string // of the new file
	sources *sources
	now     func() time.Time
}

// Recover reads what can be read of the history in dir into a new file beside it.
// Nothing of the history itself is changed before Install. The error is
// sqlite.ErrBusy when another process has the history open, a *history.ReadOnlyError when
// a newer hobnob wrote it.
func Recover(ctx context.Context, dir string) (_ *Recovery, err error) {
	path := filepath.Join(dir, history.FileName)
	from := path
	if aside := interrupted(path); aside != "" {
		from = aside
	}
	s, err := openSources(from, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	r := &Recovery{path: path, sources: s, now: time.Now}
	defer func() {
		if err != nil {
			_ = r.Close()
		}
	}()
	if err := Lock(s.db); errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("cannot repair %s: %w", path, sqlite.ErrBusy)
	}
	if newer, err := isNewer(ctx, s.file); err != nil || newer {
		return nil, errors.Join(err, &history.ReadOnlyError{Path: path})
	}
	// A random name with mode 0600, which SQLite then opens as an empty database.
	made, err := os.CreateTemp(dir, history.FileName+".recovered-*")
	if err != nil {
		return nil, err
	}
	r.made = made.Name()
	if err := made.Close(); err != nil {
		return nil, err
	}
	if err := r.fill(ctx); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", r.made, err)
	}
	return r, nil
}

// fill makes the new file and has it on disk when it returns.
func (r *Recovery) fill(ctx context.Context) error {
	db, err := sqlite.Open(ctx, r.made, history.Schema())
	if err != nil {
		return err
	}
	// Nobody needs the file if this fails, so nothing of it is journalled on disk.
	if _, err = db.ExecContext(ctx, `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF`); err == nil {
		r.Recovered, err = salvageInto(ctx, db.DB, r.sources.file)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return syncFile(r.made)
}

// Install puts the new file in the place of the damaged one and returns where that
// is kept, with its log beside it, bit for bit. After a crash at any moment the
// damaged history is whole under one of the two names, and a new Recover finds it.
func (r *Recovery) Install() (aside string, err error) {
	if aside = interrupted(r.path); aside == "" {
		if aside, err = keep(r.path, r.now()); err != nil {
			return "", err
		}
	}
	if runtime.GOOS == "windows" {
		// Windows replaces no file that is open; who opens it now makes the
		// replacement fail, and nothing is lost.
		r.sources.close()
	}
	// SQLite would play the old log back into the new file.
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(r.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if err := os.Rename(r.made, r.path); err != nil {
		return "", err
	}
	r.made = ""
	return aside, atomicfile.SyncDir(filepath.Dir(r.path))
}

// Close lets others at the history again, and removes the new file if it was not installed.
func (r *Recovery) Close() error {
	r.sources.close()
	if r.made == "" {
		return nil
	}
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(r.made + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	r.made = ""
	return errors.Join(errs...)
}

// keep gives the database, its log and its index of the log second names, as
// links, so that there is no moment without a history. The database comes last:
// once it has its name, the others have theirs.
func keep(path string, now time.Time) (aside string, err error) {
	base := path + asideInfix + now.UTC().Format("20060102T150405Z")
	for n := 2; ; n++ {
		aside = base
		if n > 2 {
			aside = fmt.Sprintf("%s-%d", base, n-1)
		}
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if _, err := os.Stat(path + suffix); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Link(path+suffix, aside+suffix); err != nil {
			return "", err
		}
	}
	return aside, atomicfile.SyncDir(filepath.Dir(path))
}

// interrupted returns the damaged history that is kept and still in place too:
// an Install did not get to its end. Its log may have one of the two names only.
func interrupted(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	kept, _ := filepath.Glob(filepath.Join(filepath.Dir(path), history.FileName+asideInfix+"*Z*"))
	for _, aside := range kept {
		if other, err := os.Stat(aside); err == nil && os.SameFile(info, other) {
			return aside
		}
	}
	return ""
}

// sources are the open files of a history.
type sources struct {
	db, wal *os.File
	file    *File
}

func openSources(path string, flag int) (_ *sources, err error) {
	s := &sources{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.db, err = os.OpenFile(path, flag, 0); err != nil {
		return nil, err
	}
	db, err := source(s.db)
	if err != nil {
		return nil, err
	}
	var wal Source
	if s.wal, err = os.Open(path + "-wal"); err == nil {
		wal, err = source(s.wal)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.file, err = Open(db, wal); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return s, nil
}

func source(f *os.File) (Source, error) {
	info, err := f.Stat()
	if err != nil {
		return Source{}, err
	}
	return Source{ReaderAt: f, Size: info.Size()}, nil
}

func (s *sources) close() {
	for _, f := range []*os.File{s.db, s.wal} {
		if f != nil {
			_ = f.Close()
		}
	}
	s.db, s.wal = nil, nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// salvageInto fills an empty history with what can be read of a file.
func salvageInto(ctx context.Context, db *sql.DB, f *File) (Recovered, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return Recovered{}, err
	}
	defer func() { _ = tx.Rollback() }()
	s := &salvage{ctx: ctx, tx: tx, file: f}
	for _, step := range []func() error{s.begin, s.read, s.join, s.count} {
		if err := step(); err != nil {
			return Recovered{}, err
		}
	}
	if err := history.FillIndex(ctx, tx); err != nil {
		return Recovered{}, err
	}
	return s.Recovered, tx.Commit()
}
