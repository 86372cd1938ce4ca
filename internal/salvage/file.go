package salvage

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
)

// headerSize is the length of the database header on page 1.
const headerSize = 100

// maxReads is how often one page is read as a part of a row: once in a sound
// file, a few times where pointers are wrong, and not without end in a file that
// was made to be slow.
const maxReads = 16

var errPage = errors.New("no such page")

// File is a database file with its write-ahead log.
type File struct {
	db, wal io.ReaderAt
	size    int    // of a page, bytes
	dbPages uint32 // in the database file
	pages   uint32 // in both
	log     walLog
	reads   []uint8 // by page: how often it was read as overflow
}

// Source is a file of a known length.
type Source struct {
	io.ReaderAt
	Size int64
}

// Open finds the page size and the usable frames of the log. A missing log is
// the zero Source. Open fails only where the sources do.
func Open(db, wal Source) (*File, error) {
	f := &File{db: db, wal: wal}
	var err error
	if f.size, err = pageSize(db, wal); err != nil {
		return nil, err
	}
	f.dbPages = uint32(min(db.Size/int64(f.size), 1<<31))
	f.pages = f.dbPages
	if wal.ReaderAt != nil {
		if err := f.readLog(wal); err != nil {
			return nil, err
		}
	}
	f.reads = make([]uint8, f.pages+1)
	return f, nil
}

// Pages is how many pages there are. The first has the number 1.
func (f *File) Pages() uint32 { return f.pages }

// DamagedFrames is how many frames of the log are not as they were written,
// though others that SQLite committed stand behind them or they end a commit.
// SQLite drops them and all behind them without a word.
func (f *File) DamagedFrames() int { return f.log.damaged }

// UserVersion and ApplicationID are what PRAGMA user_version and application_id say.
func (f *File) UserVersion() (version, applicationID uint32) {
	p, err := f.Page(1)
	if err != nil {
		return 0, 0
	}
	return binary.BigEndian.Uint32(p.data[60:]), binary.BigEndian.Uint32(p.data[68:])
}

// Claimed reports whether a row that was read has a part on the page.
func (f *File) Claimed(page uint32) bool { return page < uint32(len(f.reads)) && f.reads[page] > 0 }

// Page returns the newest copy of a page.
func (f *File) Page(n uint32) (Page, error) {
	if n == 0 || n > f.pages {
		return Page{}, errPage
	}
	if frame, ok := f.log.newest[n]; ok {
		return f.frame(n, frame)
	}
	return f.main(n)
}

// main returns a page as the database file has it.
func (f *File) main(n uint32) (Page, error) {
	if n == 0 || n > f.dbPages {
		return Page{}, errPage
	}
	data := make([]byte, f.size)
	at := int64(n-1) * int64(f.size)
	if _, err := f.db.ReadAt(data, at); err != nil {
		return Page{}, err
	}
	return Page{file: f, Number: n, Offset: at, data: data}, nil
}

// frame returns a page as a frame of the log has it, mended.
func (f *File) frame(n uint32, fr frame) (Page, error) {
	data := make([]byte, f.size)
	at := fr.offset + frameHeader
	if _, err := f.wal.ReadAt(data, at); err != nil {
		return Page{}, err
	}
	if fr.mendAt >= 0 {
		copy(data[fr.mendAt:], fr.mend[:])
	}
	return Page{file: f, Number: n, InLog: true, Offset: at, data: data}, nil
}

// Earlier returns copies of pages that are worth a look after the newest ones:
// what stood before a damaged frame, and damaged frames whose page is not known.
func (f *File) Earlier() iter.Seq[Page] {
	return func(yield func(Page) bool) {
		for _, e := range f.log.earlier {
			var p Page
			var err error
			if e.frame.offset == 0 {
				p, err = f.main(e.page)
			} else {
				p, err = f.frame(e.page, e.frame)
			}
			if err == nil && !yield(p) {
				return
			}
		}
	}
}

// Free returns the pages of the list of free pages, as far as it can be followed.
func (f *File) Free() map[uint32]bool {
	free := map[uint32]bool{}
	first, err := f.Page(1)
	if err != nil {
		return free
	}
	for trunk := binary.BigEndian.Uint32(first.data[32:]); trunk > 1 && !free[trunk]; {
		p, err := f.Page(trunk)
		if err != nil {
			break
		}
		free[trunk] = true
		trunk = binary.BigEndian.Uint32(p.data)
		count := binary.BigEndian.Uint32(p.data[4:])
		for i := 8; count > 0 && i+4 <= len(p.data); i += 4 {
			if n := binary.BigEndian.Uint32(p.data[i:]); n > 1 && n <= f.pages {
				free[n] = true
			}
			count--
		}
	}
	return free
}

// pageSize takes the size that the headers name, unless the pages say otherwise:
// the right size is the one at which most of them begin as pages of trees do.
func pageSize(db, wal Source) (int, error) {
	const enough = 4 << 20
	sample := make([]byte, min(db.Size, enough))
	if len(sample) > 0 {
		if _, err := db.ReadAt(sample, 0); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	var named []int
	if len(sample) >= headerSize {
		size := int(binary.BigEndian.Uint16(sample[16:]))
		if size == 1 {
			size = 1 << 16
		}
		named = append(named, size)
	}
	if wal.ReaderAt != nil {
		var header [walHeader]byte
		if _, err := wal.ReadAt(header[:], 0); err == nil {
			named = append(named, int(binary.BigEndian.Uint32(header[8:])&0x1ffff))
		}
	}
	best, most := 0, -1
	for _, size := range append(named, 4096, 512, 1024, 2048, 8192, 1<<14, 1<<15, 1<<16) {
		if size < 512 || size > 1<<16 || size&(size-1) != 0 {
			continue
		}
		pages := 0
		for at := 0; at+size <= len(sample); at += size {
			p := Page{Number: uint32(at/size) + 1, data: sample[at : at+size]}
			if p.plausible() {
				pages++
			}
		}
		if pages > most {
			best, most = size, pages
		}
	}
	return best, nil
}
