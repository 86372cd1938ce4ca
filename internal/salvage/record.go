package salvage

import (
	"encoding/binary"
	"errors"
	"math"
)

// maxColumns bounds the columns of a row.
const maxColumns = 64

var errRow = errors.New("the row is damaged")

// Cell is one row, not read further than its page goes.
type Cell struct {
	Rowid int64
	Types []uint64 // of the columns, as the file format numbers them

	page     Page
	start    int // on the page
	child    uint32
	local    []byte // the part of the payload on the page
	header   int    // length of the record's header
	size     int64  // of the payload
	overflow uint32 // the page with the next part
}

// cell reads a cell of a page of that kind.
func (p Page) cell(start int, kind byte) (Cell, bool) {
	c := Cell{page: p, start: start}
	rest := p.data[start:]
	if kind == interiorTable || kind == interiorIndex {
		if len(rest) < 4 {
			return c, false
		}
		c.child, rest = binary.BigEndian.Uint32(rest), rest[4:]
	}
	var n int
	if kind != interiorTable {
		var size uint64
		if size, n = varint(rest); n == 0 || size == 0 || size > uint64(p.file.pages)*uint64(p.file.size) {
			return c, false
		}
		c.size, rest = int64(size), rest[n:]
	}
	if kind == leafTable || kind == interiorTable {
		var rowid uint64
		if rowid, n = varint(rest); n == 0 {
			return c, false
		}
		c.Rowid, rest = int64(rowid), rest[n:]
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

// localSize is how much of a payload stands on the page itself.
func (p Page) localSize(size int64, kind byte) int {
	u := int64(len(p.data))
	most := u - 35
	if kind != leafTable {
		most = (u-12)*64/255 - 23
	}
	if size <= most {
		return int(size)
	}
	least := (u-12)*32/255 - 23
	if k := least + (size-least)%(u-4); k <= most {
		return int(k)
	}
	return int(least)
}

// readTypes reads the header of the record; it is wrong unless its columns fill
// the payload to the byte.
func (c *Cell) readTypes() bool {
	length, n := varint(c.local)
	if n == 0 || length < uint64(n) || length > uint64(len(c.local)) {
		return false
	}
	c.header = int(length)
	left := c.size - int64(length)
	for at := n; at < c.header; {
		t, n := varint(c.local[at:c.header])
		size := typeSize(t)
		if n == 0 || size < 0 || size > left || len(c.Types) == maxColumns {
			return false
		}
		left -= size
		at += n
		c.Types = append(c.Types, t)
	}
	return left == 0
}

// typeSize is how many bytes a value takes, -1 for a type that is none.
func typeSize(t uint64) int64 {
	switch {
	case t <= 4:
		return int64(t)
	case t == 5:
		return 6
	case t == 6, t == 7:
		return 8
	case t == 8, t == 9:
		return 0
	case t < 12 || t > math.MaxInt64:
		return -1
	}
	return int64(t-12) / 2
}

// Kind is the type of a value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Integer
	Real
	Blob
	Text
)

// Value is one column of a row.
type Value struct {
	Kind  Kind
	Int   int64
	Bytes []byte // of a text or a blob
}

// Row reads the values of a cell, with what of it stands on other pages.
func (c Cell) Row() ([]Value, error) {
	payload, err := c.payload()
	if err != nil {
		return nil, err
	}
	row := make([]Value, len(c.Types))
	data := payload[c.header:]
	for i, t := range c.Types {
		size := typeSize(t)
		row[i] = value(t, data[:size:size])
		data = data[size:]
	}
	return row, nil
}

func value(t uint64, data []byte) Value {
	switch {
	case t == 0:
		return Value{}
	case t == 7:
		return Value{Kind: Real}
	case t >= 8 && t <= 9:
		return Value{Kind: Integer, Int: int64(t - 8)}
	case t < 7:
		n := int64(int8(data[0]))
		for _, b := range data[1:] {
			n = n<<8 | int64(b)
		}
		return Value{Kind: Integer, Int: n}
	case t%2 == 0:
		return Value{Kind: Blob, Bytes: data}
	}
	return Value{Kind: Text, Bytes: data}
}

// payload reads the chain of pages that a long row is spread over. A chain that
// does not end where the row does is a wrong one.
func (c Cell) payload() ([]byte, error) {
	if c.overflow == 0 && int64(len(c.local)) == c.size {
		return c.local, nil
	}
	f := c.page.file
	payload := append(make([]byte, 0, min(c.size, 1<<20)), c.local...)
	next := c.overflow
	for int64(len(payload)) < c.size {
		p, err := f.Page(next)
		if err != nil || f.reads[next] >= maxReads {
			return nil, errRow
		}
		f.reads[next]++
		next = binary.BigEndian.Uint32(p.data)
		payload = append(payload, p.data[4:min(int64(len(p.data)), 4+c.size-int64(len(payload)))]...)
	}
	if next != 0 {
		return nil, errRow
	}
	return payload, nil
}

// Span is a part of a row: bytes of one page.
type Span struct {
	Page       Page
	Start, End int
}

// Spans returns where the bytes of a row are.
func (c Cell) Spans() ([]Span, error) {
	at := c.start
	end := len(c.page.data) - len(c.page.data[at:]) + c.headLength() + len(c.local)
	if c.overflow != 0 {
		end += 4
	}
	spans := []Span{{c.page, at, end}}
	for next, left := c.overflow, c.size-int64(len(c.local)); left > 0; {
		p, err := c.page.file.Page(next)
		if err != nil {
			return nil, err
		}
		part := min(left, int64(len(p.data))-4)
		spans = append(spans, Span{p, 0, 4 + int(part)})
		next, left = binary.BigEndian.Uint32(p.data), left-part
	}
	return spans, nil
}

// headLength is the length of the cell before its payload.
func (c Cell) headLength() int {
	_, a := varint(c.page.data[c.start:])
	_, b := varint(c.page.data[c.start+a:])
	return a + b
}

// varint reads a variable-length integer; n is its length, 0 when it is cut off.
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
