package salvage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// rebuild fills a new history with the rows of a damaged one. Which copies of a
// row count:
//
//   - A row on a page that the tree of its table leads to is taken as it is.
//   - Any other copy (on a page that no pointer leads to any more, or a free one,
//     or found by its form alone) may be of a row that was deleted, or no row at
//     all but text made to look like one. It counts if the index of ids lists its
//     id and key, since what was deleted is not listed there. Only if a part of that
//     index and a part of the tree are lost, it also counts without, unless its page
//     is free or is a part of a long row.
//   - Of several copies with one id the one in the tree stays, then one that needs
//     no repair; an answered turn is preferred to an unanswered one and a later used
//     conversation to an earlier one; otherwise the first stays.
//
// Rows are known by their form: the number and types of their columns, and an id
// that is a UUID.
type rebuild struct {
	Recovered
	ctx  context.Context
	tx   *sql.Tx
	from *database
	free map[uint32]bool // pages
	err  error           // the first one, after which nothing is read or written

	conversations, turns table
	conflicts            []conflict
}

// table is a table of the history and what the damaged file says of it.
type table struct {
	layout
	insert        string
	root, idIndex uint32                // pages
	indexed       map[int64]*indexEntry // by key
	indexComplete bool                  // every entry of the index of ids could be read
	treeComplete  bool                  // every page of the tree was found and lists its cells
	missing       int                   // entries of the index whose row was not found yet
	lost          int                   // those whose row is not in the new history
}

// indexEntry is a row that the index of ids lists.
type indexEntry struct {
	id            string
	found, inTree bool
}

// conflict is a row in the tree whose id is not the one that the index has for it.
type conflict struct {
	table         *table
	row, expected string
}

// origin is how a copy of a row was found, the most reliable first.
type origin int

const (
	inTree    origin = iota
	onPage           // listed by its page, which no tree leads to
	byForm           // by its form alone, and it needs no repair
	byBadForm        // by its form alone
)

// rebuildHistory fills an empty history with what can be read of a file.
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

// openTables reads where the tables are and what their indexes list.
func (b *rebuild) openTables() (err error) {
	// Rows come in the order of pages, children before their parents.
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

// readIndex reads the index of ids, whose entries are an id and a key.
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
				// A pointer that leads to the wrong page breaks the order.
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

// indexEntry reads a cell of the index of ids.
func (c cell) indexEntry() (id string, key int64, ok bool) {
	row, err := c.row()
	if err != nil || len(row) != 2 || row[1].kind != kindInteger {
		return "", 0, false
	}
	id, ok = parseID(row[0])
	return id, row[1].n, ok
}

// incomplete reports whether rows may be missing: the index lists some that were
// not found, or neither the index nor the tree is complete.
func (t *table) incomplete() bool {
	return t.missing > 0 || !t.indexComplete && !t.treeComplete
}

// readPages reads the rows on the pages that the trees of the tables lead to, and
// then those on the other pages.
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

// readPage reads the rows that a page lists; complete is false when it lists one
// that cannot be read.
func (b *rebuild) readPage(n uint32, how origin) (complete bool) {
	p, err := b.from.page(n)
	if b.err != nil || err != nil || !p.hasRows() {
		return err == nil
	}
	cells, complete := p.cells()
	b.addCells(cells, how)
	return complete
}

// search looks for rows by their form, on all pages and for as long as some are
// missing: first for those that need no repair.
func (b *rebuild) search() {
	incomplete := func() bool { return b.err == nil && (b.turns.incomplete() || b.conversations.incomplete()) }
	isRow := func(c cell) bool { return b.turns.fits(c) || b.conversations.fits(c) }
	for _, how := range []origin{byForm, byBadForm} {
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

// add writes a copy of a row into the new history, if it counts.
func (b *rebuild) add(t *table, c cell, how origin) error {
	r, ok := b.accept(t, c, how)
	if !ok {
		return nil
	}
	args := r.args()
	if r.repaired && how == byForm {
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

// accept reads a row and decides whether this copy of it counts.
func (b *rebuild) accept(t *table, c cell, how origin) (_ *row, ok bool) {
	entry, listed := t.indexed[c.rowid]
	complete := t.indexComplete || t.treeComplete
	if how != inTree && (listed && entry.inTree || !listed && complete) {
		return nil, false // spares reading it whole
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

// freeKey returns the key that a row gets: its own, unless another row has it.
// What the key of a conversation is does not matter; that of a turn is its time.
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
