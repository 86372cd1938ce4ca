package salvage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// The sizes of the log's header and of a frame's.
const (
	walHeader   = 32
	frameHeader = 24
)

// walMagic begins the log; its last bit tells the order of bytes of the checksums.
const walMagic = 0x377f0682

// frame is where the log holds a page.
type frame struct {
	offset int64 // of the frame's header; 0 for a page of the database file
	mendAt int   // where four bytes of the page were mended, -1 for nowhere
	mend   [4]byte
}

// earlierPage is a copy of a page that a damaged frame has replaced.
type earlierPage struct {
	page  uint32
	frame frame
}

// walLog is what of the log was committed.
type walLog struct {
	newest  map[uint32]frame
	earlier []earlierPage
	damaged int
}

// A checksum of the log: each frame's goes on where the one before it ended.
type checksum [2]uint32

func (c checksum) add(order binary.ByteOrder, data []byte) checksum {
	for i := 0; i+8 <= len(data); i += 8 {
		c[0] += order.Uint32(data[i:]) + c[1]
		c[1] += order.Uint32(data[i+4:]) + c[0]
	}
	return c
}

func stored(data []byte) checksum {
	return checksum{binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])}
}

// logReader goes through the frames of the log.
type logReader struct {
	wal   Source
	order binary.ByteOrder
	seed  checksum
	salts [8]byte
	buf   []byte // one frame, the checksum's fields cut out of its header
	ours  bool   // the frame before was of this generation
	// elsewhere decides whether data is of page b and not of page a.
	elsewhere func(data []byte, a, b uint32) bool
}

// verdict is what is thought of a frame.
type verdict int

const (
	foreign  verdict = iota // of an earlier generation, or no frame
	sound                   // as it was written
	mended                  // one word was wrong, and which one is known
	damaged                 // of this generation, and wrong in an unknown place
	lostPage                // wrong, its header too, between frames of this generation
)

// readLog finds the newest committed frame of each page. SQLite stops at the
// first frame whose checksum is wrong; here the frames behind it count too, when
// they go on from the checksum that the wrong one holds. The checksum is linear,
// so damage inside one word of 32 bits is found and mended. A damaged frame counts
// as a commit, since its mark of one may be what was damaged.
func (f *File) readLog(wal Source) error {
	f.log.newest = map[uint32]frame{}
	count := (wal.Size - walHeader) / int64(frameHeader+f.size)
	if count <= 0 {
		return nil
	}
	r := &logReader{wal: wal, buf: make([]byte, frameHeader+f.size), elsewhere: f.elsewhere}
	broken, err := r.begin()
	if err != nil {
		return err
	}
	limit := int64(f.dbPages) + count // each new page has a frame
	type entry struct {
		earlierPage
		verdict verdict
	}
	var open []entry // not committed yet
	wrong, headers := 0, 0
	if broken {
		headers = 1
	}
	for i := range count {
		offset := walHeader + i*int64(frameHeader+f.size)
		fr, verdict, err := r.next(offset)
		if err != nil {
			return err
		}
		if verdict == foreign {
			// Between frames of this generation it is one whose header is gone.
			open = append(open, entry{earlierPage{0, fr}, lostPage})
			continue
		}
		page, commit := binary.BigEndian.Uint32(r.buf), binary.BigEndian.Uint32(r.buf[4:]) != 0
		if page == 0 || int64(page) > limit {
			page, verdict = 0, damaged
		}
		open = append(open, entry{earlierPage{page, fr}, verdict})
		if verdict != sound {
			wrong++
		}
		if !commit && verdict != damaged {
			continue
		}
		for _, e := range open {
			if e.verdict == lostPage {
				wrong++
			}
			before, replaced := f.log.newest[e.page]
			switch {
			case e.page == 0:
				f.log.earlier = append(f.log.earlier, e.earlierPage)
				continue
			case e.verdict == damaged && replaced:
				f.log.earlier = append(f.log.earlier, earlierPage{e.page, before})
			case e.verdict == damaged:
				f.log.earlier = append(f.log.earlier, earlierPage{e.page, frame{mendAt: -1}})
			}
			f.log.newest[e.page] = e.frame
			f.pages = max(f.pages, e.page)
		}
		f.log.damaged += wrong + headers
		open, wrong, headers = open[:0], 0, 0
	}
	return nil
}

// elsewhere reports whether data looks like what page b was, and more so than like
// what page a was: a commit leaves most of a page as it is.
func (f *File) elsewhere(data []byte, a, b uint32) bool {
	like := f.alike(data, b)
	return like > f.alike(data, a) && like > (len(data)-bytes.Count(data, []byte{0}))/2
}

// alike counts the bytes, zeros apart, that data has in common with a page.
func (f *File) alike(data []byte, n uint32) int {
	p, err := f.Page(n)
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

// begin reads the header. Where it is damaged the first frame tells which of its
// fields are right.
func (r *logReader) begin() (broken bool, err error) {
	var header [walHeader]byte
	if _, err := r.wal.ReadAt(header[:], 0); err != nil {
		return false, err
	}
	r.order = binary.LittleEndian
	if header[3]&1 != 0 {
		r.order = binary.BigEndian
	}
	r.salts = [8]byte(header[16:24])
	r.seed, r.ours = stored(header[24:]), true
	if binary.BigEndian.Uint32(header[:])&^1 == walMagic && (checksum{}).add(r.order, header[:24]) == r.seed {
		return false, nil
	}
	if err := r.read(walHeader); err != nil {
		return true, err
	}
	first := [8]byte(r.buf[8:16])
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, seed := range []checksum{stored(header[24:]), (checksum{}).add(order, header[:24])} {
			if r.sum(order, seed) == stored(r.buf[16:]) {
				r.order, r.seed, r.salts = order, seed, first
				return true, nil
			}
		}
	}
	// Both are damaged; every machine that hobnob runs on writes this order.
	r.order, r.salts = binary.LittleEndian, first
	if second := int64(walHeader + len(r.buf)); second+int64(len(r.buf)) <= r.wal.Size {
		if err := r.read(second); err != nil {
			return true, err
		}
		r.salts = [8]byte(r.buf[8:16])
	}
	return true, nil
}

func (r *logReader) read(offset int64) error {
	_, err := r.wal.ReadAt(r.buf, offset)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// sum is what the checksum of the frame in buf should be.
func (r *logReader) sum(order binary.ByteOrder, seed checksum) checksum {
	return seed.add(order, r.buf[:8]).add(order, r.buf[frameHeader:])
}

// next reads and judges a frame; buf then holds it mended.
func (r *logReader) next(offset int64) (frame, verdict, error) {
	fr := frame{offset: offset, mendAt: -1}
	if err := r.read(offset); err != nil {
		return fr, foreign, err
	}
	same := [8]byte(r.buf[8:16]) == r.salts
	want, got := stored(r.buf[16:]), r.sum(r.order, r.seed)
	ours := same || r.ours
	switch {
	case got == want && ours:
		r.seed, r.ours = want, true
		if !same {
			return fr, mended, nil
		}
		return fr, sound, nil
	case !same:
		r.seed, r.ours = want, false
		return fr, foreign, nil
	}
	r.ours = true
	delta := checksum{got[0] - want[0], got[1] - want[1]}
	if delta[0] == 0 || delta[1] == 0 {
		// One word of the checksum itself is wrong.
		r.seed = got
		return fr, mended, nil
	}
	r.seed = want
	found := locate(delta, len(r.buf)-frameHeader+8)
	switch {
	case len(found) == 1:
		r.mend(found[0], &fr)
		return fr, mended, nil
	case len(found) > 1 && found[0].at == 0 && r.elsewhere != nil:
		// Where the number of the page is wrong the rest of it is right.
		number := binary.BigEndian.Uint32(r.buf)
		r.mend(found[0], &fr)
		if r.elsewhere(r.buf[frameHeader:], number, binary.BigEndian.Uint32(r.buf)) {
			return fr, mended, nil
		}
		binary.BigEndian.PutUint32(r.buf, number)
	}
	return fr, damaged, nil
}

// mend corrects a word of the frame in buf.
func (r *logReader) mend(w wrongWord, fr *frame) {
	at := w.at
	if at >= 8 {
		at += frameHeader - 8
	}
	r.order.PutUint32(r.buf[at:], r.order.Uint32(r.buf[at:])-w.off)
	if w.at >= 8 {
		fr.mendAt, fr.mend = w.at-8, [4]byte(r.buf[at:])
	}
}

// wrongWord is a place, among the bytes that were summed, and how far the word
// there is off.
type wrongWord struct {
	at  int
	off uint32
}

// locate finds the words, of n bytes that were summed, each of which alone would
// explain how far the checksum is off, the first one first. A change e of a word
// changes the checksum by e·(a, b), where (a, b) depends on its place alone and
// are neighbours in the Fibonacci sequence: one of them is odd, so that e follows
// from it, and the other is the proof. There are several where e has high bits
// alone, since the sequence repeats modulo small powers of two.
func locate(delta checksum, n int) []wrongWord {
	var found []wrongWord
	first, second := checksum{1, 1}, checksum{0, 1} // of the two words of a step
	for at := n - 8; at >= 0; at -= 8 {
		for i, c := range []checksum{second, first} {
			var e uint32
			if c[0]&1 == 1 {
				e = delta[0] * inverse(c[0])
			} else {
				e = delta[1] * inverse(c[1])
			}
			if e*c[0] == delta[0] && e*c[1] == delta[1] {
				found = append(found, wrongWord{at + 4*(1-i), e})
			}
		}
		first = checksum{first[0] + first[1], first[0] + 2*first[1]}
		second = checksum{second[0] + second[1], second[0] + 2*second[1]}
	}
	slices.Reverse(found)
	return found
}

// inverse is the inverse of an odd number modulo 2³², by Newton's method.
func inverse(a uint32) uint32 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}
