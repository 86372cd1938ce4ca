package salvage

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
)

// headerSize is the length of the database header on page 1.
const headerSize = 100

// maxReads limits how often a page is read as part of a row. An intact file needs one
// read, wrong pointers a few more. The limit stops files crafted to be slow.
const maxReads = 16

var errPage = errors.New("no such page")

// database reads a database file and its write-ahead log at the level of pages, trees
// and records, without SQL.
type database struct {
	db, wal   *io.SectionReader
	pageSize  int    // bytes
	filePages uint32 // in the database file
	pages     uint32 // in both files; numbers start at 1
	log       walLog
	reads     []uint8 // by page: how often it was read as overflow
}

// newDatabase finds the page size and the usable frames of the log; wal is nil if
// there is no log. It fails only if reading fails.
func newDatabase(db, wal *io.SectionReader) (*database, error) {
	d := &database{db: db, wal: wal}
	var err error
	if d.pageSize, err = findPageSize(db, wal); err != nil {
		return nil, err
	}
	d.filePages = uint32(min(db.Size()/int64(d.pageSize), 1<<31))
	d.pages = d.filePages
	if wal != nil {
		if err := d.readLog(); err != nil {
			return nil, err
		}
	}
	d.reads = make([]uint8, d.pages+1)
	return d, nil
}

// holdsOverflow reports whether the page holds part of a row that has been read from
// another page.
func (d *database) holdsOverflow(page uint32) bool {
	return page < uint32(len(d.reads)) && d.reads[page] > 0
}

// page returns the newest copy of a page.
func (d *database) page(n uint32) (page, error) {
	if f, ok := d.log.newest[n]; ok {
		return d.copyOf(f)
	}
	return d.copyOf(frame{page: n})
}

// copyOf returns the copy of a page in a frame, with corrections applied.
func (d *database) copyOf(f frame) (page, error) {
	file, offset := d.wal, f.offset+frameHeader
	if f.offset == 0 {
		file, offset = d.db, (int64(f.page)-1)*int64(d.pageSize)
		if f.page == 0 || f.page > d.filePages {
			return page{}, errPage
		}
	}
	data := make([]byte, d.pageSize)
	if _, err := file.ReadAt(data, offset); err != nil {
		return page{}, err
	}
	copy(data[f.wrongAt:], f.correct)
	return page{db: d, number: f.page, data: data}, nil
}

// olderPages returns page copies to search after the newest ones: those replaced by a
// damaged frame, and damaged frames whose page is unknown.
func (d *database) olderPages() iter.Seq[page] {
	return func(yield func(page) bool) {
		for _, f := range d.log.older {
			if p, err := d.copyOf(f); err == nil && !yield(p) {
				return
			}
		}
	}
}

// freePages returns the pages in the free list, as far as the list can be followed.
func (d *database) freePages() map[uint32]bool {
	free := map[uint32]bool{}
	first, err := d.page(1)
	if err != nil {
		return free
	}
	for trunk := binary.BigEndian.Uint32(first.data[32:]); trunk > 1 && !free[trunk]; {
		p, err := d.page(trunk)
		if err != nil {
			break
		}
		free[trunk] = true
		trunk = binary.BigEndian.Uint32(p.data)
		count := binary.BigEndian.Uint32(p.data[4:])
		for i := 8; count > 0 && i+4 <= len(p.data); i += 4 {
			if n := binary.BigEndian.Uint32(p.data[i:]); n > 1 && n <= d.pages {
				free[n] = true
			}
			count--
		}
	}
	return free
}

// findPageSize returns the size at which the most pages start like tree pages,
// preferring the sizes in the headers.
func findPageSize(db, wal *io.SectionReader) (int, error) {
	const maxSample = 4 << 20
	sample := make([]byte, min(db.Size(), maxSample))
	if len(sample) > 0 {
		if _, err := db.ReadAt(sample, 0); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	var sizes []int // from the headers of both files
	if len(sample) >= headerSize {
		size := int(binary.BigEndian.Uint16(sample[16:]))
		if size == 1 {
			size = 1 << 16
		}
		sizes = append(sizes, size)
	}
	if wal != nil {
		var header [walHeader]byte
		if _, err := wal.ReadAt(header[:], 0); err == nil {
			sizes = append(sizes, int(binary.BigEndian.Uint32(header[8:])&0x1ffff))
		}
	}
	best, most := 0, -1
	for _, size := range append(sizes, 4096, 512, 1024, 2048, 8192, 1<<14, 1<<15, 1<<16) {
		if size < 512 || size > 1<<16 || size&(size-1) != 0 {
			continue
		}
		pages := 0
		for at := 0; at+size <= len(sample); at += size {
			p := page{number: uint32(at/size) + 1, data: sample[at : at+size]}
			if cells, ok := p.cellOffsets(); ok && len(cells) > 0 {
				pages++
			}
		}
		if pages > most {
			best, most = size, pages
		}
	}
	return best, nil
}
