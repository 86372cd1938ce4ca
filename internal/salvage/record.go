package salvage

import (
	"encoding/binary"
	"errors"
	"math"
)

// maxColumns limits the number of columns of a row.
const maxColumns = 64

var errRow = errors.New("damaged row")

// cell is an entry of a page. In a table leaf it is a row; only its part on this page
// has been read.
type cell struct {
	rowid int64
	types []uint64 // serial types of the columns

	page     page
	start    int    // offset on the page
	child    uint32 // child page, in an interior page
	local    []byte // the part of the payload on the page
	header   int    // length of the record's header
	size     int64  // of the payload
	overflow uint32 // page with the next part of the payload
}

// cell reads the cell at an offset of the page, in the format of the given kind of
// page.
func (p page) cell(start int, kind byte) (cell, bool) {
	c := cell{page: p, start: start}
	rest := p.data[start:]
	if kind == interiorTable || kind == interiorIndex {
		if len(rest) < 4 {
			return c, false
		}
		c.child, rest = binary.BigEndian.Uint32(rest), rest[4:]
	}
	if kind != interiorTable {
		size, n := varint(rest)
		if n == 0 || size == 0 || size > uint64(p.db.pages)*uint64(p.db.pageSize) {
			return c, false
		}
		c.size, rest = int64(size), rest[n:]
	}
	if kind == leafTable || kind == interiorTable {
		rowid, n := varint(rest)
		if n == 0 {
			return c, false
		}
		c.rowid, rest = int64(rowid), rest[n:]
	}
	if kind == interiorTable {
		return c, true
	}
	local := p.localSize(c.size, kind)
	if int64(local) < c.size {
		if len(rest) < local+4 {
			return c, false
		}
		c.overflow = binary.BigEndian.Uint32(rest[local:])
	}
	if len(rest) < local {
		return c, false
	}
	c.local = rest[:local]
	return c, c.readTypes()
}

// localSize returns the number of payload bytes stored on the page itself.
func (p page) localSize(size int64, kind byte) int {
	usable := int64(len(p.data))
	most := usable - 35
	if kind != leafTable {
		most = (usable-12)*64/255 - 23
	}
	if size <= most {
		return int(size)
	}
	least := (usable-12)*32/255 - 23
	if k := least + (size-least)%(usable-4); k <= most {
		return int(k)
	}
	return int(least)
}

// readTypes reads the record header and reports whether it is valid: the sizes of the
// columns must add up to the size of the payload.
func (c *cell) readTypes() bool {
	length, n := varint(c.local)
	if n == 0 || length < uint64(n) || length > uint64(len(c.local)) {
		return false
	}
	c.header = int(length)
	left := c.size - int64(length)
	for at := n; at < c.header; {
		t, n := varint(c.local[at:c.header])
		size := typeSize(t)
		if n == 0 || size < 0 || size > left || len(c.types) == maxColumns {
			return false
		}
		left -= size
		at += n
		c.types = append(c.types, t)
	}
	return left == 0
}

// shortSizes holds the sizes of the types below 12.
var shortSizes = [...]int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, -1, -1}

// typeSize returns the size in bytes of a value of type t, or -1 for an unused type.
func typeSize(t uint64) int64 {
	switch {
	case t < 12:
		return shortSizes[t]
	case t > math.MaxInt64:
		return -1
	}
	return int64(t-12) / 2
}

// kind is the kind of a value.
type kind int

const (
	kindNull kind = iota
	kindInteger
	kindReal
	kindBlob
	kindText
)

// kindOf returns the kind of a valid type.
func kindOf(t uint64) kind {
	switch {
	case t == 0:
		return kindNull
	case t == 7:
		return kindReal
	case t < 12:
		return kindInteger
	case t%2 == 0:
		return kindBlob
	}
	return kindText
}

// value is one column of a row.
type value struct {
	kind kind
	n    int64  // an integer
	data []byte // a text or a blob
}

// row returns the values of a cell, including the parts on other pages.
func (c cell) row() ([]value, error) {
	payload, err := c.payload()
	if err != nil {
		return nil, err
	}
	row := make([]value, len(c.types))
	rest := payload[c.header:]
	for i, t := range c.types {
		size := typeSize(t)
		data := rest[:size:size]
		rest = rest[size:]
		row[i] = value{kind: kindOf(t)}
		switch {
		case t == 8, t == 9:
			row[i].n = int64(t - 8)
		case row[i].kind == kindInteger:
			row[i].n = integer(data)
		case row[i].kind == kindText, row[i].kind == kindBlob:
			row[i].data = data
		}
	}
	return row, nil
}

// integer decodes a big-endian signed integer of one or more bytes.
func integer(data []byte) int64 {
	n := int64(int8(data[0]))
	for _, b := range data[1:] {
		n = n<<8 | int64(b)
	}
	return n
}

// payload returns the payload of a cell, following the overflow pages of a long row.
// It returns an error if the chain is longer or shorter than the row.
func (c cell) payload() ([]byte, error) {
	if c.overflow == 0 && int64(len(c.local)) == c.size {
		return c.local, nil
	}
	db := c.page.db
	payload := append(make([]byte, 0, min(c.size, 1<<20)), c.local...)
	next := c.overflow
	for int64(len(payload)) < c.size {
		p, err := db.page(next)
		if err != nil || db.reads[next] >= maxReads {
			return nil, errRow
		}
		db.reads[next]++
		next = binary.BigEndian.Uint32(p.data)
		payload = append(payload, p.data[4:min(int64(len(p.data)), 4+c.size-int64(len(payload)))]...)
	}
	if next != 0 {
		return nil, errRow
	}
	return payload, nil
}

// varint decodes a variable-length integer; n is its length in bytes, or 0 if it is
// truncated.
func varint(data []byte) (v uint64, n int) {
	for i := range min(len(data), 8) {
		v = v<<7 | uint64(data[i]&0x7f)
		if data[i] < 0x80 {
			return v, i + 1
		}
	}
	if len(data) < 9 {
		return 0, 0
	}
	return v<<8 | uint64(data[8]), 9
}
