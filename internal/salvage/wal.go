package salvage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// The sizes of the log's header and of a frame's.
const (
	walHeader   = 32
	frameHeader = 24
)

// walMagic begins the log; its last bit is the byte order of the checksums.
const walMagic = 0x377f0682

// frame is a copy of a page in the log.
type frame struct {
	page    uint32 // 0 when it is not known
	offset  int64  // of the frame's header; 0 stands for the page of the database file
	wrongAt int    // where bytes of the page are wrong
	correct []byte // those that belong there, none in an intact frame
	verdict verdict
	commit  bool // it ends a transaction
}

// walLog is the committed part of the log.
type walLog struct {
	newest map[uint32]frame // by page
	older  []frame          // see database.olderPages
	// damaged is how many frames are not as they were written, though others that
	// SQLite committed come after them or they end a commit. SQLite drops them and
	// all after them silently.
	damaged int
}

// verdict is how a frame was found.
type verdict int

const (
	foreign   verdict = iota // of an earlier generation of the log, or without a readable header
	intact                   // as it was written
	corrected                // one word was wrong, and which one is known
	damaged                  // of this generation, and wrong in an unknown place
)

// readLog finds the newest committed frame of each page. SQLite stops at the
// first frame whose checksum is wrong; here the frames after it count too, when
// they go on from the checksum that the wrong one holds. The checksum is linear,
// so damage inside one word of 32 bits is found and corrected. A damaged frame
// counts as a commit, since the field that marks one may be the damaged one.
func (d *database) readLog() error {
	d.log.newest = map[uint32]frame{}
	frameSize := int64(frameHeader + d.pageSize)
	count := (d.wal.Size() - walHeader) / frameSize
	if count <= 0 {
		return nil
	}
	// Each new page has a frame, which bounds their numbers.
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

// commit adds the frames of a transaction. A foreign one among them is a frame
// whose header is damaged.
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

// logReader reads the frames of the log one after the other.
type logReader struct {
	db      *database
	maxPage int64
	order   binary.ByteOrder // of the checksums
	salts   [8]byte          // of this generation
	sum     checksum         // of the frame before
	ours    bool             // the frame before was of this generation
	buf     []byte           // one frame
}

// readHeader reads the header of the log. Where it is damaged the first frame
// shows which of its fields are right.
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
	r.sum, r.ours = storedChecksum(header[24:]), true
	if binary.BigEndian.Uint32(header[:])&^1 == walMagic && (checksum{}).add(r.order, header[:24]) == r.sum {
		return false, nil
	}
	if err := r.read(walHeader); err != nil {
		return true, err
	}
	first := [8]byte(r.buf[8:16])
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, sum := range []checksum{storedChecksum(header[24:]), (checksum{}).add(order, header[:24])} {
			if r.frameSum(order, sum) == storedChecksum(r.buf[16:]) {
				r.order, r.sum, r.salts = order, sum, first
				return true, nil
			}
		}
	}
	// Both are damaged; every machine that hobnob runs on writes this order.
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

// frameSum is what the checksum of the frame in buf should be.
func (r *logReader) frameSum(order binary.ByteOrder, before checksum) checksum {
	return before.add(order, r.buf[:8]).add(order, r.buf[frameHeader:])
}

// next reads the frame at an offset.
func (r *logReader) next(offset int64) (frame, error) {
	f := frame{offset: offset}
	if err := r.read(offset); err != nil {
		return f, err
	}
	if f.verdict = r.verify(&f); f.verdict == foreign {
		return f, nil
	}
	f.page = binary.BigEndian.Uint32(r.buf)
	if f.page == 0 || int64(f.page) > r.maxPage {
		f.page, f.verdict = 0, damaged
	}
	f.commit = f.verdict == damaged || binary.BigEndian.Uint32(r.buf[4:]) != 0
	return f, nil
}

// verify checks the frame in buf and corrects it where it can.
func (r *logReader) verify(f *frame) verdict {
	sameSalts := [8]byte(r.buf[8:16]) == r.salts
	want, got := storedChecksum(r.buf[16:]), r.frameSum(r.order, r.sum)
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
	delta := checksum{got[0] - want[0], got[1] - want[1]}
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
		// Where the number of the page is wrong the rest of it is right.
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
		at += frameHeader - 8 // the salts and the checksum are not summed
	}
	r.order.PutUint32(r.buf[at:], r.order.Uint32(r.buf[at:])-w.off)
	if w.at >= 8 {
		f.wrongAt, f.correct = w.at-8, bytes.Clone(r.buf[at:at+4])
	}
}

// resembles reports whether data looks like a page so far, and more so than like
// another one: a commit leaves most of a page as it is.
func (d *database) resembles(data []byte, n, other uint32) bool {
	same := d.sameBytes(data, n)
	return same > d.sameBytes(data, other) && same > (len(data)-bytes.Count(data, []byte{0}))/2
}

// sameBytes counts the bytes, zeros apart, that data has in common with a page.
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
