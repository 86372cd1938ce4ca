package salvage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Sizes of the log header and of a frame header.
const (
	walHeader   = 32
	frameHeader = 24
)

// walMagic is the magic number of the log; its last bit is the byte order of the
// checksums.
const walMagic = 0x377f0682

// frame is a copy of a page in the log.
type frame struct {
	page    uint32 // 0 if unknown
	offset  int64  // of the frame header; 0 for the page in the database file
	wrongAt int    // offset of the wrong bytes in the page
	correct []byte // the correct bytes, none in an intact frame
	verdict verdict
	commit  bool // ends a transaction
}

// walLog is the committed part of the log.
type walLog struct {
	newest map[uint32]frame // by page
	older  []frame          // see database.olderPages
	// damaged is the number of damaged frames in committed transactions. SQLite
	// silently drops them and all frames after them.
	damaged int
}

// verdict is the result of verifying a frame.
type verdict int

const (
	foreign   verdict = iota // of an earlier generation of the log, or with an unreadable header
	intact                   // as it was written
	corrected                // one word was wrong and is known
	damaged                  // of this generation, with an unknown error
)

// readLog finds the newest committed frame of each page. SQLite stops at the first
// frame with a wrong checksum. readLog also accepts the frames after it if they
// continue from the checksum stored in it. The checksum is linear, so damage within
// one 32-bit word can be located and corrected. A frame with a damaged header counts as
// a commit, because its commit field may be damaged, too. One with an intact header does
// not: a killed process or a full disk leaves incomplete frames of a transaction that
// was never committed.
func (d *database) readLog() error {
	d.log.newest = map[uint32]frame{}
	frameSize := int64(frameHeader + d.pageSize)
	count := (d.wal.Size() - walHeader) / frameSize
	if count <= 0 {
		return nil
	}
	// Each new page has a frame, which limits the page numbers.
	r := &logReader{db: d, buf: make([]byte, frameSize), maxPage: int64(d.filePages) + count}
	headerDamaged, err := r.readHeader()
	if err != nil {
		return err
	}
	var open []frame // since the last commit
	for i := range count {
		f, err := r.next(walHeader + i*frameSize)
		if err != nil {
			return err
		}
		if open = append(open, f); f.commit {
			d.log.commit(open)
			open = open[:0]
		}
	}
	if headerDamaged && len(d.log.newest)+len(d.log.older) > 0 {
		d.log.damaged++
	}
	for n := range d.log.newest {
		d.pages = max(d.pages, n)
	}
	return nil
}

// commit adds the frames of a transaction. A foreign frame among them has a damaged
// header.
func (l *walLog) commit(frames []frame) {
	for _, f := range frames {
		if f.verdict != intact {
			l.damaged++
		}
		if f.page == 0 {
			l.older = append(l.older, f)
			continue
		}
		if f.verdict == damaged {
			replaced := l.newest[f.page] // or the page of the database file
			replaced.page = f.page
			l.older = append(l.older, replaced)
		}
		l.newest[f.page] = f
	}
}

// logReader reads the frames of the log in order.
type logReader struct {
	db      *database
	maxPage int64
	order   binary.ByteOrder   // of the checksums
	salts   [8]byte            // of this generation
	sum     sqlite.LogChecksum // of the previous frame
	ours    bool               // the previous frame was of this generation
	buf     []byte             // one frame
}

// readHeader reads the header of the log. If it is damaged, the first frame
// determines which of its fields are right.
func (r *logReader) readHeader() (isDamaged bool, err error) {
	var header [walHeader]byte
	if _, err := r.db.wal.ReadAt(header[:], 0); err != nil {
		return false, err
	}
	r.order = binary.LittleEndian
	if header[3]&1 != 0 {
		r.order = binary.BigEndian
	}
	r.salts = [8]byte(header[16:24])
	r.sum, r.ours = sqlite.StoredLogChecksum(header[24:]), true
	if binary.BigEndian.Uint32(header[:])&^1 == walMagic && (sqlite.LogChecksum{}).Add(r.order, header[:24]) == r.sum {
		return false, nil
	}
	if err := r.read(walHeader); err != nil {
		return true, err
	}
	first := [8]byte(r.buf[8:16])
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, sum := range []sqlite.LogChecksum{sqlite.StoredLogChecksum(header[24:]), (sqlite.LogChecksum{}).Add(order, header[:24])} {
			if r.frameSum(order, sum) == sqlite.StoredLogChecksum(r.buf[16:]) {
				r.order, r.sum, r.salts = order, sum, first
				return true, nil
			}
		}
	}
	// Both are damaged. All platforms of hobnob write this byte order.
	r.order, r.salts = binary.LittleEndian, first
	if second := int64(walHeader + len(r.buf)); second+int64(len(r.buf)) <= r.db.wal.Size() {
		if err := r.read(second); err != nil {
			return true, err
		}
		r.salts = [8]byte(r.buf[8:16])
	}
	return true, nil
}

func (r *logReader) read(offset int64) error {
	_, err := r.db.wal.ReadAt(r.buf, offset)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// frameSum returns the expected checksum of the frame in buf.
func (r *logReader) frameSum(order binary.ByteOrder, before sqlite.LogChecksum) sqlite.LogChecksum {
	return before.Add(order, r.buf[:8]).Add(order, r.buf[frameHeader:])
}

// next reads the frame at offset.
func (r *logReader) next(offset int64) (frame, error) {
	f := frame{offset: offset}
	if err := r.read(offset); err != nil {
		return f, err
	}
	if f.verdict = r.verify(&f); f.verdict == foreign {
		return f, nil
	}
	f.page = binary.BigEndian.Uint32(r.buf)
	f.commit = binary.BigEndian.Uint32(r.buf[4:]) != 0
	if f.page == 0 || int64(f.page) > r.maxPage {
		f.page, f.verdict, f.commit = 0, damaged, true
	}
	return f, nil
}

// verify checks the frame in buf and corrects it if possible.
func (r *logReader) verify(f *frame) verdict {
	sameSalts := [8]byte(r.buf[8:16]) == r.salts
	want, got := sqlite.StoredLogChecksum(r.buf[16:]), r.frameSum(r.order, r.sum)
	switch {
	case got == want && (sameSalts || r.ours):
		r.sum, r.ours = want, true
		if !sameSalts {
			return corrected
		}
		return intact
	case !sameSalts:
		r.sum, r.ours = want, false
		return foreign
	}
	r.ours = true
	delta := sqlite.LogChecksum{got[0] - want[0], got[1] - want[1]}
	if delta[0] == 0 || delta[1] == 0 {
		// One word of the checksum itself is wrong.
		r.sum = got
		return corrected
	}
	r.sum = want
	words := locate(delta, len(r.buf)-frameHeader+8)
	switch {
	case len(words) == 1:
		r.correct(words[0], f)
		return corrected
	case len(words) > 1 && words[0].at == 0:
		// If the page number is wrong, the rest of the frame is right.
		number := binary.BigEndian.Uint32(r.buf)
		r.correct(words[0], f)
		if r.db.resembles(r.buf[frameHeader:], binary.BigEndian.Uint32(r.buf), number) {
			return corrected
		}
		binary.BigEndian.PutUint32(r.buf, number)
	}
	return damaged
}

// correct corrects a word of the frame in buf.
func (r *logReader) correct(w wrongWord, f *frame) {
	at := w.at
	if at >= 8 {
		at += frameHeader - 8 // the checksum does not cover the salts and itself
	}
	r.order.PutUint32(r.buf[at:], r.order.Uint32(r.buf[at:])-w.off)
	if w.at >= 8 {
		f.wrongAt, f.correct = w.at-8, bytes.Clone(r.buf[at:at+4])
	}
}

// resembles reports whether data resembles page n, and resembles it more than page
// other: a commit changes only a small part of a page.
func (d *database) resembles(data []byte, n, other uint32) bool {
	same := d.sameBytes(data, n)
	return same > d.sameBytes(data, other) && same > (len(data)-bytes.Count(data, []byte{0}))/2
}

// sameBytes counts the nonzero bytes that data has in common with page n.
func (d *database) sameBytes(data []byte, n uint32) int {
	p, err := d.page(n)
	if err != nil {
		return 0
	}
	same := 0
	for i, b := range p.data {
		if b != 0 && b == data[i] {
			same++
		}
	}
	return same
}
