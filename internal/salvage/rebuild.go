package salvage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// rebuild fills a new history with the rows of a damaged one. These rules decide
// which copy of a row is used:
//
//   - A row on a page of its table's tree is accepted.
//   - Any other copy, on an unreachable or free page or found only by its shape, may
//     be a deleted row, or text crafted to look like a row. It is accepted if the id
//     index lists its id and key, because the index does not list deleted rows. If
//     both the index and the tree are incomplete, a copy that is not listed is
//     accepted too, unless its page is free or holds part of a long row.
//   - Among copies with the same id, one in the tree wins, then one that needs no
//     repair. An answered turn then wins over an unanswered one, and the
//     conversation used later over the one used earlier. Otherwise the first copy
//     wins.
//
// A row is recognised by its shape: the number and types of its columns, and a UUID
// as its id.
type rebuild struct {
	Recovered
	ctx  context.Context
	tx   *sql.Tx
	from *database
	free map[uint32]bool // pages
	err  error           // the first error; it stops all reading and writing

	conversations, turns table
	conflicts            []conflict
}

// table is a table of the history and its state in the damaged file.
type table struct {
	layout
	insert        string
	root, idIndex uint32                // pages
	indexed       map[int64]*indexEntry // by key
	indexComplete bool                  // every entry of the id index could be read
	treeComplete  bool                  // every page and row of the tree could be read
	missing       int                   // index entries whose row has not been found
	lost          int                   // index entries whose row is not in the new history
}

// indexEntry is an entry of the id index.
type indexEntry struct {
	id            string
	found, inTree bool
}

// conflict is a row in the tree whose id differs from the one in the index.
type conflict struct {
	table         *table
	row, expected string
}

// origin is how a copy of a row was found, most reliable first.
type origin int

const (
	inTree     origin = iota
	onPage            // listed on a page outside the trees
	byShape           // only by its shape, and it needs no repair
	byBadShape        // only by its shape
)

// rebuildHistory fills an empty history with the readable rows of a file.
func rebuildHistory(ctx context.Context, db *sql.DB, from *database) (Recovered, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return Recovered{}, err
	}
	defer func() { _ = tx.Rollback() }()
	b := &rebuild{ctx: ctx, tx: tx, from: from, free: from.freePages()}
	b.err = b.openTables()
	b.readPages()
	b.search()
	b.relink()
	if err := cmp.Or(b.err, b.count()); err != nil {
		return Recovered{}, err
	}
	if err := history.FillIndex(ctx, tx); err != nil {
		return Recovered{}, err
	}
	return b.Recovered, tx.Commit()
}

// openTables finds the tables and reads their id indexes.
func (b *rebuild) openTables() (err error) {
	// Rows are inserted in page order, so a child may precede its parent.
	if _, err := b.tx.ExecContext(b.ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	if b.conversations.layout, b.turns.layout, err = readLayouts(b.ctx); err != nil {
		return err
	}
	b.conversations.insert = b.conversations.insertSQL(`excluded.updated > conversations.updated`)
	b.turns.insert = b.turns.insertSQL(`turns.state <> 'answered' AND excluded.state = 'answered'`)
	roots := map[string]uint32{}
	for _, o := range b.from.objects() {
		roots[o.name] = o.root
	}
	for _, t := range b.tables() {
		t.root, t.idIndex = roots[t.name], roots["sqlite_autoindex_"+t.name+"_1"]
		t.readIndex(b.from)
	}
	b.Exact = b.turns.indexComplete && b.conversations.indexComplete
	return nil
}

func (b *rebuild) tables() []*table { return []*table{&b.conversations, &b.turns} }

// readIndex reads the id index, whose entries consist of an id and a key.
func (t *table) readIndex(db *database) {
	t.indexed = map[int64]*indexEntry{}
	if t.idIndex == 0 {
		return
	}
	tree := db.tree(t.idIndex)
	t.indexComplete = tree.complete
	var last string
	for _, n := range tree.pages {
		p, err := db.page(n)
		if err != nil {
			t.indexComplete = false
			continue
		}
		cells, ok := p.cells()
		t.indexComplete = t.indexComplete && ok
		for _, c := range cells {
			id, key, ok := c.indexEntry()
			if ok && p.isLeaf() {
				// A pointer to the wrong page breaks the order.
				t.indexComplete = t.indexComplete && id > last
				last = id
			}
			if t.indexComplete = t.indexComplete && ok; ok {
				t.indexed[key] = &indexEntry{id: id}
			}
		}
	}
	t.missing = len(t.indexed)
}

// indexEntry reads a cell of the id index.
func (c cell) indexEntry() (id string, key int64, ok bool) {
	row, err := c.row()
	if err != nil || len(row) != 2 || row[1].kind != kindInteger {
		return "", 0, false
	}
	id, ok = parseID(row[0])
	return id, row[1].n, ok
}

// incomplete reports whether rows may be missing: some rows in the index were not
// found, or neither the index nor the tree is complete.
func (t *table) incomplete() bool {
	return t.missing > 0 || !t.indexComplete && !t.treeComplete
}

// readPages reads the rows on the pages of the tables' trees, then those on all other
// pages.
func (b *rebuild) readPages() {
	visited := map[uint32]bool{}
	for _, t := range b.tables() {
		tree := b.from.tree(t.root)
		t.treeComplete = tree.complete
		for _, n := range tree.pages {
			visited[n] = true
			t.treeComplete = b.readPage(n, inTree) && t.treeComplete
		}
	}
	for n := uint32(1); n <= b.from.pages; n++ {
		if !visited[n] {
			b.readPage(n, onPage)
		}
	}
}

// readPage reads the rows listed on a page; complete is false if one of them cannot
// be read.
func (b *rebuild) readPage(n uint32, how origin) (complete bool) {
	p, err := b.from.page(n)
	if b.err != nil || err != nil || !p.hasRows() {
		return err == nil
	}
	cells, complete := p.cells()
	b.addCells(cells, how)
	return complete
}

// search looks for missing rows by their shape on all pages: first for intact ones,
// then for those that need repair.
func (b *rebuild) search() {
	incomplete := func() bool { return b.err == nil && (b.turns.incomplete() || b.conversations.incomplete()) }
	isRow := func(c cell) bool { return b.turns.fits(c) || b.conversations.fits(c) }
	for _, how := range []origin{byShape, byBadShape} {
		for n := uint32(1); n <= b.from.pages && incomplete(); n++ {
			if p, err := b.from.page(n); err == nil {
				b.addCells(p.search(isRow), how)
			}
		}
		for p := range b.from.olderPages() {
			if !incomplete() {
				break
			}
			cells, _ := p.cells()
			b.addCells(append(cells, p.search(isRow)...), how)
		}
	}
}

func (b *rebuild) addCells(cells []cell, how origin) {
	b.err = cmp.Or(b.err, b.ctx.Err())
	for _, c := range cells {
		for _, t := range b.tables() {
			if b.err == nil && t.fits(c) {
				b.err = b.add(t, c, how)
			}
		}
	}
}

// add inserts a copy of a row into the new history if it is accepted.
func (b *rebuild) add(t *table, c cell, how origin) error {
	r, ok := b.accept(t, c, how)
	if !ok {
		return nil
	}
	args := r.args()
	if r.repaired && how == byShape {
		return nil
	}
	key, err := b.freeKey(t, r)
	if err != nil {
		return err
	}
	if _, err := b.tx.ExecContext(b.ctx, t.insert, append([]any{key}, args...)...); err != nil {
		return err
	}
	if e, ok := t.indexed[c.rowid]; ok {
		if !e.found {
			t.missing--
		}
		e.found, e.inTree = true, e.inTree || how == inTree
	}
	if r.repaired {
		b.Repaired++
	}
	return nil
}

// accept reads a copy of a row; ok reports whether to use it.
func (b *rebuild) accept(t *table, c cell, how origin) (_ *row, ok bool) {
	entry, listed := t.indexed[c.rowid]
	complete := t.indexComplete || t.treeComplete
	if how != inTree && (listed && entry.inTree || !listed && complete) {
		return nil, false // avoid reading the whole row
	}
	values, err := c.row()
	if err != nil {
		return nil, false
	}
	r := &row{layout: &t.layout, key: c.rowid, values: values}
	r.id, ok = parseID(r.value("id"))
	switch {
	case how == inTree && !ok && listed:
		r.id, r.repaired, ok = entry.id, true, true
	case how == inTree && listed && r.id != entry.id:
		b.conflicts = append(b.conflicts, conflict{t, r.id, entry.id})
	case how == inTree, !ok, listed && r.id == entry.id:
	case complete:
		ok = false
	default:
		ok = !b.free[c.page.number] && !b.from.holdsOverflow(c.page.number)
	}
	return r, ok
}

// freeKey returns the key of a row in the new history: its own unless another row has
// it. For a conversation nil lets SQLite choose a key. The key of a turn encodes its
// time.
func (b *rebuild) freeKey(t *table, r *row) (any, error) {
	var holder string
	err := b.tx.QueryRowContext(b.ctx, `SELECT id FROM `+t.name+` WHERE rowid = ?`, r.key).Scan(&holder)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	taken := holder != "" && holder != r.id
	switch {
	case t == &b.turns && (taken || !validKey(r.key)):
		r.repaired = true
		return history.NextSeq(b.ctx, b.tx, r.time("asked").(int64))
	case taken:
		return nil, nil
	}
	return r.key, nil
}
