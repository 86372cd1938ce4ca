package salvage

import (
	"encoding/binary"
	"math"
)

// Kinds of tree pages, as stored in their first byte.
const (
	interiorIndex = 2
	interiorTable = 5
	leafIndex     = 10
	leafTable     = 13
)

// maxDepth limits the height of a tree; SQLite's limit is 20.
const maxDepth = 24

// page is one copy of a page.
type page struct {
	number uint32 // 0 if unknown
	db     *database
	data   []byte
}

// start returns the offset of the page header.
func (p page) start() int {
	if p.number == 1 {
		return headerSize
	}
	return 0
}

// kind returns the first byte of a tree page, or 0 for any other page.
func (p page) kind() byte {
	switch k := p.data[p.start()]; k {
	case interiorIndex, interiorTable, leafIndex, leafTable:
		return k
	}
	return 0
}

// hasRows reports whether the page is a table leaf.
func (p page) hasRows() bool { return p.kind() == leafTable }

// isLeaf reports whether the page is a leaf of a tree.
func (p page) isLeaf() bool { return p.kind()&8 != 0 }

// cellOffsets returns the offsets of the cells; ok is false if one is out of bounds.
func (p page) cellOffsets() (offsets []int, ok bool) {
	kind := p.kind()
	if kind == 0 {
		return nil, false
	}
	list := p.start() + 8
	if kind == interiorIndex || kind == interiorTable {
		list += 4
	}
	count := int(binary.BigEndian.Uint16(p.data[p.start()+3:]))
	ok = true
	for i := range count {
		if list+2*i+2 > len(p.data) {
			return offsets, false
		}
		offset := int(binary.BigEndian.Uint16(p.data[list+2*i:]))
		if offset < list || offset >= len(p.data) {
			ok = false
			continue
		}
		offsets = append(offsets, offset)
	}
	return offsets, ok
}

// cells returns the cells listed in the page header; ok is false if some of them
// cannot be read.
func (p page) cells() (cells []cell, ok bool) {
	offsets, ok := p.cellOffsets()
	for _, offset := range offsets {
		c, valid := p.cell(offset, p.kind())
		if !valid {
			ok = false
			continue
		}
		cells = append(cells, c)
	}
	return cells, ok
}

// search returns everything on the page, at any offset, that looks like a table row
// and that match accepts. This includes cells missing from the page header and
// deleted or moved rows that are not overwritten yet.
func (p page) search(match func(cell) bool) []cell {
	var found []cell
	for offset := range p.data {
		if c, ok := p.cell(offset, leafTable); ok && match(c) {
			found = append(found, c)
		}
	}
	return found
}

// tree holds the pages that can be reached from a root page.
type tree struct {
	pages    []uint32 // in the order of their keys
	complete bool     // every pointer led to a page of the right kind
}

// tree returns the tree below a root page.
func (d *database) tree(root uint32) tree {
	t := tree{complete: true}
	seen := map[uint32]bool{}
	// parent is the kind of the page that points to page n, or 0 at the root.
	var follow func(n uint32, parent byte, depth int)
	follow = func(n uint32, parent byte, depth int) {
		p, err := d.page(n)
		// Table pages have odd kinds, index pages even ones.
		if err != nil || seen[n] || depth > maxDepth || p.kind() == 0 || parent != 0 && p.kind()&1 != parent&1 {
			t.complete = false
			return
		}
		seen[n] = true
		t.pages = append(t.pages, n)
		if p.isLeaf() {
			return
		}
		cells, ok := p.cells()
		t.complete = t.complete && ok
		for _, c := range cells {
			follow(c.child, p.kind(), depth+1)
		}
		follow(binary.BigEndian.Uint32(p.data[p.start()+8:]), p.kind(), depth+1)
	}
	follow(root, 0, 0)
	return t
}

// object is a table or an index in the file's schema.
type object struct {
	kind, name, sql string
	root            uint32
}

// objects returns the readable part of the file's schema.
func (d *database) objects() []object {
	var objects []object
	for _, n := range d.tree(1).pages {
		p, err := d.page(n)
		if err != nil || !p.hasRows() {
			continue
		}
		cells, _ := p.cells()
		for _, c := range cells {
			row, err := c.row()
			if err != nil || len(row) != 5 || row[3].n < 0 || row[3].n > math.MaxUint32 {
				continue
			}
			objects = append(objects, object{
				kind: string(row[0].data), name: string(row[1].data), sql: string(row[4].data), root: uint32(row[3].n),
			})
		}
	}
	return objects
}
