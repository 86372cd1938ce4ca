package salvage

import (
	"encoding/binary"
	"math"
)

// The kinds of pages that a tree has, as their first byte says.
const (
	interiorIndex = 2
	interiorTable = 5
	leafIndex     = 10
	leafTable     = 13
)

// maxDepth bounds the height of a tree; SQLite's own bound is 20.
const maxDepth = 24

// Page is one copy of a page.
type Page struct {
	Number uint32 // 0 when it is not known
	InLog  bool   // it stands in the log and not in the database file
	Offset int64  // in that file

	file *File
	data []byte
}

// start is where the page's own header begins.
func (p Page) start() int {
	if p.Number == 1 {
		return headerSize
	}
	return 0
}

// kind is the first byte of the page, if the page is one of a tree.
func (p Page) kind() (kind byte, ok bool) {
	switch k := p.data[p.start()]; k {
	case interiorIndex, interiorTable, leafIndex, leafTable:
		return k, true
	}
	return 0, false
}

// IsTableLeaf reports whether the page says that it holds rows.
func (p Page) IsTableLeaf() bool { k, _ := p.kind(); return k == leafTable }

// IsLeaf reports whether the page says that it points to no others.
func (p Page) IsLeaf() bool { k, ok := p.kind(); return ok && k&8 != 0 }

// pointers returns where the cells are; ok is false when one is out of bounds.
func (p Page) pointers() (at []int, ok bool) {
	kind, ok := p.kind()
	if !ok {
		return nil, false
	}
	from := p.start() + 8
	if kind == interiorIndex || kind == interiorTable {
		from += 4
	}
	count := int(binary.BigEndian.Uint16(p.data[p.start()+3:]))
	for i := range count {
		if from+2*i+2 > len(p.data) {
			return at, false
		}
		cell := int(binary.BigEndian.Uint16(p.data[from+2*i:]))
		if cell < from || cell >= len(p.data) {
			ok = false
			continue
		}
		at = append(at, cell)
	}
	return at, ok
}

// plausible reports whether the page begins as a page of a tree does.
func (p Page) plausible() bool {
	at, ok := p.pointers()
	return ok && len(at) > 0
}

// Cells returns the cells that the page's own list of them names; ok is false when
// some of them could not be read.
func (p Page) Cells() (cells []Cell, ok bool) {
	at, ok := p.pointers()
	if !ok && len(at) == 0 {
		return nil, false
	}
	kind, _ := p.kind()
	for _, start := range at {
		cell, good := p.cell(start, kind)
		if !good {
			ok = false
			continue
		}
		cells = append(cells, cell)
	}
	return cells, ok
}

// Search returns whatever on the page has the form of a row with this many
// columns, wherever it stands: cells that the page's header has lost, but also
// what was deleted or moved and not yet overwritten.
func (p Page) Search(columns ...int) []Cell {
	var found []Cell
	for start := range p.data {
		cell, ok := p.cell(start, leafTable)
		if !ok {
			continue
		}
		for _, n := range columns {
			if len(cell.Types) == n {
				found = append(found, cell)
			}
		}
	}
	return found
}

// Tree is what can be reached from a root page.
type Tree struct {
	Pages []uint32 // in the order of their keys
	// Complete says that every pointer led to a page of the right kind.
	Complete bool
}

// Tree follows the pointers from a root page.
func (f *File) Tree(root uint32) Tree {
	t := Tree{Complete: true}
	f.follow(root, 0, 0, map[uint32]bool{}, &t)
	return t
}

func (f *File) follow(n uint32, family byte, depth int, seen map[uint32]bool, t *Tree) {
	p, err := f.Page(n)
	if err != nil || seen[n] || depth > maxDepth {
		t.Complete = false
		return
	}
	kind, ok := p.kind()
	// Pages of tables have the bit 1, those of indexes have not.
	if !ok || family != 0 && kind&1 != family&1 {
		t.Complete = false
		return
	}
	seen[n] = true
	t.Pages = append(t.Pages, n)
	if kind == leafTable || kind == leafIndex {
		return
	}
	cells, ok := p.Cells()
	if !ok {
		t.Complete = false
	}
	for _, c := range cells {
		f.follow(c.child, kind, depth+1, seen, t)
	}
	f.follow(binary.BigEndian.Uint32(p.data[p.start()+8:]), kind, depth+1, seen, t)
}

// Object is a table or an index, as the schema has it.
type Object struct {
	Type, Name, SQL string
	Root            uint32
}

// Objects returns what can be read of the schema.
func (f *File) Objects() []Object {
	var objects []Object
	for _, n := range f.Tree(1).Pages {
		p, err := f.Page(n)
		if err != nil || !p.IsTableLeaf() {
			continue
		}
		cells, _ := p.Cells()
		for _, c := range cells {
			row, err := c.Row()
			if err != nil || len(row) != 5 || row[3].Int < 0 || row[3].Int > math.MaxUint32 {
				continue
			}
			objects = append(objects, Object{
				Type: string(row[0].Bytes), Name: string(row[1].Bytes), SQL: string(row[4].Bytes), Root: uint32(row[3].Int),
			})
		}
	}
	return objects
}
