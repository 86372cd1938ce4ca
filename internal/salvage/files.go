package salvage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hobnob-cli/hobnob/internal/input"
)

// The bytes of a database file that SQLite locks
// (https://www.sqlite.org/lockingv3.html). In WAL mode each open connection holds a
// shared lock on some of them.
const (
	lockOffset = 0x40000000
	lockLength = 512
)

// files holds the open files of a history.
type files struct {
	db, wal *os.File // wal is nil if there is no log
	content *database
}

func openFiles(path string, flag int) (_ *files, err error) {
	f := &files{}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if f.db, err = input.OpenFile(path, flag); err != nil {
		return nil, err
	}
	if f.wal, err = input.Open(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	db, err := section(f.db)
	if err != nil {
		return nil, err
	}
	var wal *io.SectionReader
	if f.wal != nil {
		if wal, err = section(f.wal); err != nil {
			return nil, err
		}
	}
	if f.content, err = newDatabase(db, wal); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return f, nil
}

// section returns a reader for the current contents of a file.
func section(f *os.File) (*io.SectionReader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(f, 0, info.Size()), nil
}

func (f *files) close() {
	for _, file := range []*os.File{f.db, f.wal} {
		if file != nil {
			_ = file.Close()
		}
	}
	f.db, f.wal = nil, nil
}
