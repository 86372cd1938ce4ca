package salvage

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// salvage reads the rows of a damaged file into a new history. Which copies of a
// row count:
//
//   - A row on a page that the tree of its table leads to is taken as it is.
//   - Any other copy (on a page that no pointer leads to any more, or a free one,
//     or found by its form alone) may be of a row that was deleted, or no row at
//     all but text made to look like one. It counts if the index of ids names its
//     id and key, since what was deleted is not named there. Only if a part of that
//     index and a part of the tree are lost, it also counts without, unless its page
//     is free or is a part of a long row.
//   - Of several copies with one id the one in the tree stays, then one that needs
//     no mending; an answered turn beats an unanswered one and a later used
//     conversation an earlier one; otherwise the first stays.
//
// Rows are known by their form: the number and types of their columns, and an id
// that is a UUID.
type salvage struct {
	Recovered
	ctx  context.Context
	tx   *sql.Tx
	file *File
	free map[uint32]bool

	turns, conversations table
	done                 map[uint32]bool // pages that the trees led to
	disputed             []dispute
}

// table is what the file says of a table.
type table struct {
	name        string
	root, index uint32
	named       map[int64]named // by key, as the index of ids has it
	whole       bool            // the index is
	treeWhole   bool            // every page of the tree was found and names its cells
	left        int             // named and not found yet
}

// dispute is a row in the tree whose id is not the one that the index has for it.
type dispute struct {
	table      string
	has, named uuid.UUID
}

type named struct {
	id     uuid.UUID
	found  bool
	inTree bool
}

// where says how a copy of a row was come by, the surest way first.
type where int

const (
	inTree   where = iota
	onPage         // named by its page, which no tree leads to
	searched       // by its form alone, and it needs no mending
	broken         // by its form alone
)

const salvagedConversation = `INSERT INTO conversations(rowid, id, title, profile, agent_id, head, created, updated, deleted)
	VALUES(CASE WHEN EXISTS(SELECT 1 FROM conversations WHERE rowid = ?1 AND id <> ?2) THEN NULL ELSE ?1 END, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
	ON CONFLICT(id) DO UPDATE SET title = excluded.title, profile = excluded.profile, agent_id = excluded.agent_id, head = excluded.head,
	created = excluded.created, updated = excluded.updated, deleted = excluded.deleted WHERE excluded.updated > conversations.updated`

const salvagedTurn = `INSERT INTO turns(seq, id, conversation, parent, question, reply, state, agent_id, asked, expires, owner, ended, failure, service_id,
	service_conversation_id, model, finish_reason, prompt_tokens, completion_tokens, total_tokens, response, mark)
	VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT(id) DO UPDATE SET conversation = excluded.conversation, parent = excluded.parent, question = excluded.question, reply = excluded.reply,
	state = excluded.state, agent_id = excluded.agent_id, asked = excluded.asked, expires = excluded.expires, owner = excluded.owner, ended = excluded.ended,
	failure = excluded.failure, service_id = excluded.service_id, service_conversation_id = excluded.service_conversation_id, model = excluded.model,
	finish_reason = excluded.finish_reason, prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens,
	total_tokens = excluded.total_tokens, response = excluded.response, mark = excluded.mark
	WHERE turns.state <> 'answered' AND excluded.state = 'answered'`

// begin reads where the tables are and what their indexes name.
func (s *salvage) begin() error {
	// Rows come in the order of pages, children before their parents.
	if _, err := s.tx.ExecContext(s.ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	s.free, s.done = s.file.Free(), map[uint32]bool{}
	for _, o := range s.file.Objects() {
		switch o.Name {
		case "turns":
			s.turns.root = o.Root
		case "conversations":
			s.conversations.root = o.Root
		case "sqlite_autoindex_turns_1":
			s.turns.index = o.Root
		case "sqlite_autoindex_conversations_1":
			s.conversations.index = o.Root
		}
	}
	s.turns.name, s.conversations.name = "turns", "conversations"
	s.turns.readIndex(s.file)
	s.conversations.readIndex(s.file)
	s.Exact = s.turns.whole && s.conversations.whole
	return nil
}

// readIndex reads the index of ids, whose entries are an id and a key.
func (t *table) readIndex(f *File) {
	t.named = map[int64]named{}
	if t.index == 0 {
		return
	}
	tree := f.Tree(t.index)
	t.whole = tree.Complete
	var last []byte
	for _, n := range tree.Pages {
		p, err := f.Page(n)
		if err != nil {
			t.whole = false
			continue
		}
		cells, ok := p.Cells()
		t.whole = t.whole && ok
		for _, c := range cells {
			row, err := c.Row()
			if err != nil || len(row) != 2 || row[1].Kind != Integer {
				t.whole = false
				continue
			}
			id, ok := parseID(row[0])
			if !ok {
				t.whole = false
				continue
			}
			if p.IsLeaf() {
				// A pointer that leads to the wrong page breaks the order.
				t.whole = t.whole && bytes.Compare(row[0].Bytes, last) > 0
				last = row[0].Bytes
			}
			t.named[row[1].Int] = named{id: id}
		}
	}
	t.left = len(t.named)
}

// names reports whether the index of ids has the row.
func (t *table) names(key int64, id uuid.UUID) bool {
	n, ok := t.named[key]
	return ok && n.id == id
}

// missing reports whether the index names rows that were not found, or nothing
// says that there are none.
func (t *table) missing() bool { return t.left > 0 || !t.whole && !t.treeWhole }

// seen notes that a row of the index was found.
func (t *table) seen(key int64, how where) {
	n, ok := t.named[key]
	if !ok {
		return
	}
	if !n.found {
		t.left--
	}
	n.found, n.inTree = true, n.inTree || how == inTree
	t.named[key] = n
}

// read finds the rows: first where the trees lead, then on every other page of
// rows, and while some are missing anywhere.
func (s *salvage) read() error {
	for _, t := range []*table{&s.conversations, &s.turns} {
		tree := s.file.Tree(t.root)
		t.treeWhole = tree.Complete
		for _, n := range tree.Pages {
			s.done[n] = true
			whole, err := s.page(n, inTree)
			if err != nil {
				return err
			}
			t.treeWhole = t.treeWhole && whole
		}
	}
	for n := uint32(1); n <= s.file.Pages(); n++ {
		if !s.done[n] {
			if _, err := s.page(n, onPage); err != nil {
				return err
			}
		}
	}
	for _, how := range []where{searched, broken} {
		for n := uint32(1); n <= s.file.Pages() && s.missing(); n++ {
			p, err := s.file.Page(n)
			if err != nil {
				continue
			}
			if err := s.cells(p.Search(conversationWidth, turnWidth, oldTurnWidth), p, how); err != nil {
				return err
			}
		}
		for p := range s.file.Earlier() {
			if !s.missing() {
				break
			}
			cells, _ := p.Cells()
			if err := s.cells(append(cells, p.Search(conversationWidth, turnWidth, oldTurnWidth)...), p, how); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *salvage) missing() bool {
	return s.turns.missing() || s.conversations.missing()
}

// page reads the rows that a page names; whole is false when it names one that is none.
func (s *salvage) page(n uint32, how where) (whole bool, err error) {
	p, err := s.file.Page(n)
	if err != nil || !p.IsTableLeaf() {
		return err == nil, nil
	}
	cells, whole := p.Cells()
	return whole, s.cells(cells, p, how)
}

func (s *salvage) cells(cells []Cell, p Page, how where) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	for _, c := range cells {
		var err error
		switch {
		case isTurn(c):
			err = s.turn(c, p, how)
		case isConversation(c):
			err = s.conversation(c, p, how)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// row reads a row and its id, and decides whether this copy of it counts.
func (s *salvage) row(t *table, c Cell, p Page, idColumn int, how where) (row []Value, id uuid.UUID, m mender, ok bool) {
	entry, isNamed := t.named[c.Rowid]
	tree := how == inTree
	if !tree && (entry.inTree || !isNamed && (t.whole || t.treeWhole)) {
		return nil, id, m, false // spares reading it whole
	}
	row, err := c.Row()
	if err != nil {
		return nil, id, m, false
	}
	id, ok = parseID(row[idColumn])
	switch {
	case tree && !ok && isNamed:
		id, m.mended, ok = entry.id, true, true
	case tree && isNamed && id != entry.id:
		s.disputed = append(s.disputed, dispute{t.name, id, entry.id})
	case tree || !ok:
	case t.whole || t.treeWhole:
		ok = t.names(c.Rowid, id)
	case !t.names(c.Rowid, id):
		ok = !s.free[p.Number] && !s.file.Claimed(p.Number)
	}
	return row, id, m, ok
}

func (s *salvage) conversation(c Cell, p Page, how where) error {
	row, id, m, ok := s.row(&s.conversations, c, p, 0, how)
	if !ok {
		return nil
	}
	args := m.conversationArgs(id, row)
	if m.mended && how == searched {
		return nil
	}
	if _, err := s.tx.ExecContext(s.ctx, salvagedConversation, append([]any{c.Rowid}, args...)...); err != nil {
		return err
	}
	s.conversations.seen(c.Rowid, how)
	s.countMended(m)
	return nil
}

func (s *salvage) turn(c Cell, p Page, how where) error {
	row, id, m, ok := s.row(&s.turns, c, p, 1, how)
	if !ok {
		return nil
	}
	args := m.turnArgs(id, c.Rowid, row)
	if m.mended && how == searched {
		return nil
	}
	seq := c.Rowid
	var holder string
	err := s.tx.QueryRowContext(s.ctx, `SELECT id FROM turns WHERE seq = ?`, seq).Scan(&holder)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if holder != "" && holder != id.String() || !validSeq(seq) {
		m.mended = true
		if seq, err = history.NextSeq(s.ctx, s.tx, args[7].(int64)); err != nil {
			return err
		}
	}
	if _, err := s.tx.ExecContext(s.ctx, salvagedTurn, append([]any{seq}, args...)...); err != nil {
		return err
	}
	s.turns.seen(c.Rowid, how)
	s.countMended(m)
	return nil
}

func (s *salvage) countMended(m mender) {
	if m.mended {
		s.Mended++
	}
}
