package salvage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The bytes that SQLite locks to keep others from reading and writing
// (https://www.sqlite.org/lockingv3.html). In WAL mode every connection holds a
// shared lock on some of them for as long as it is open.
const (
	lockOffset = 0x40000000
	lockLength = 512
)

// files are the open files of a history.
type files struct {
	db, wal *os.File // wal is nil when there is no log
	content *database
}

func openFiles(path string, flag int) (_ *files, err error) {
	f := &files{}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if f.db, err = os.OpenFile(path, flag, 0); err != nil {
		return nil, err
	}
	if f.wal, err = os.Open(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// section reads a file as long as it is now.
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
