package salvage

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// sample is a history, as the contents of its two files, and the positions of its
// rows.
type sample struct {
	db, wal []byte
	rows    map[string]string   // all fields as SQL returns them, by id
	pruned  map[string]bool     // ids of permanently deleted rows
	bytes   map[string][]extent // by id
}

// extent is a range of bytes of a row in one of the files.
type extent struct {
	inLog      bool
	start, end int64
}

const (
	allTurns = `SELECT id, seq, conversation, coalesce(parent, 'NULL'), question, coalesce(reply, 'NULL'), state, agent_id, asked, expires, owner, coalesce(ended, 'NULL'),
		coalesce(failure, 'NULL'), coalesce(service_id, 'NULL'), coalesce(service_conversation_id, 'NULL'), coalesce(model, 'NULL'), coalesce(finish_reason, 'NULL'),
		coalesce(prompt_tokens, 'NULL'), coalesce(completion_tokens, 'NULL'), coalesce(total_tokens, 'NULL'), coalesce(hex(response), 'NULL'), coalesce(mark, 'NULL') FROM turns`
	allConversations = `SELECT id, title, profile, agent_id, coalesce(head, 'NULL'), created, updated, coalesce(deleted, 'NULL'),
		coalesce(instructions, 'NULL'), coalesce(instructions_source, 'NULL'), coalesce(instructions_name, 'NULL') FROM conversations`
)

func readAll(t testing.TB, db *sql.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, query := range []string{allTurns, allConversations} {
		if _, err := sqlite.All(context.Background(), db, query, nil, func(rows *sql.Rows, _ *struct{}) error {
			columns, _ := rows.Columns()
			values := make([]string, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			err := rows.Scan(into...)
			all[values[0]] = fmt.Sprintf("%q", values)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// newSample returns the same history for the same seed.
func newSample(t *testing.T, turns int, seed byte) (s sample) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { s = makeSample(t, turns, seed, time.Sleep) })
	return s
}

// makeSample returns a history with branches, turns in every state, long replies,
// instructions, deleted conversations and a log that is not checkpointed. It calls pause
// between turns, because their keys encode the time.
func makeSample(t testing.TB, turns int, seed byte, pause func(time.Duration)) sample {
	t.Helper()
	ctx, dir, random := context.Background(), t.TempDir(), rand.New(rand.NewPCG(1, 2))
	uuid.SetRand(rand.NewChaCha8([32]byte{seed}))
	defer uuid.SetRand(nil)
	s, err := history.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	db, err := sqlite.Open(ctx, filepath.Join(dir, history.FileName), history.Schema())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	words := strings.Fields("the quick 日本語 brown fox été jumps over Straße lazy dog 🙂 code err != nil return")
	text := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(words[random.IntN(len(words))] + " ")
		}
		return b.String()
	}
	trees := map[string][]history.Turn{}
	var ids []string
	pruned := map[string]bool{}
	wait := func() { pause(time.Duration(1+random.IntN(5000)) * time.Millisecond) }
	ask := func() {
		wait()
		q := history.Question{Text: text(20 + random.IntN(100)), Profile: []string{"work", "home"}[random.IntN(2)], AgentID: "0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f", Lifetime: time.Minute}
		if len(ids) > 3 && random.IntN(8) > 0 {
			q.Conversation = ids[random.IntN(len(ids))]
			answered := trees[q.Conversation]
			if len(answered) > 0 {
				q.Parent = answered[max(0, len(answered)-1-random.IntN(2)*random.IntN(4))].ID
			}
		} else if random.IntN(3) > 0 {
			q.Instructions = &history.Instructions{Text: text(20 << random.IntN(9)), Source: history.AgentInstructions, Name: "reviewer"}
		}
		turn, err := s.Begin(ctx, q)
		do(err)
		if q.Conversation == "" {
			ids = append(ids, turn.Conversation)
		}
		wait()
		switch random.IntN(10) {
		case 0:
		case 1:
			_, err := s.Fail(ctx, turn, history.Unknown, history.Failure{Text: "reset by peer"}, []byte{0xff, 0, 1})
			do(err)
		default:
			long := random.IntN(400)
			if random.IntN(12) == 0 {
				long = 3000 + random.IntN(10000)
			}
			service := history.Service{ID: "completion-" + turn.ID, ConversationID: "service-" + turn.ID, Model: "m", FinishReason: "stop", Usage: &history.Usage{PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3}, Response: []byte(`{"x":1}`)}
			_, err := s.Answer(ctx, turn, text(long), service)
			do(err)
			turn.State = history.Answered
			trees[turn.Conversation] = append(trees[turn.Conversation], turn)
		}
		if random.IntN(20) == 0 {
			do(s.SetMarks(ctx, turn.Conversation, map[history.Mark][]string{history.Pinned: {turn.ID}}))
		}
	}
	prune := func() {
		i := random.IntN(len(ids))
		turns, err := s.Turns(ctx, ids[i])
		do(err)
		for _, turn := range turns {
			pruned[turn.ID] = true
		}
		pruned[ids[i]] = true
		// Like Prune, but without overwriting deleted rows and truncating the log.
		do(db.Write(ctx, func(tx *sql.Tx) error {
			for _, query := range []string{
				`DELETE FROM turns_index WHERE rowid IN (SELECT seq FROM turns WHERE conversation = ?)`,
				`DELETE FROM titles_index WHERE rowid = (SELECT rowid FROM conversations WHERE id = ?)`,
				`UPDATE turns SET parent = NULL WHERE conversation = ?`,
				`DELETE FROM conversations WHERE id = ?`,
			} {
				if _, err := tx.ExecContext(ctx, query, ids[i]); err != nil {
					return err
				}
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO turns_index(turns_index) VALUES('optimize'); INSERT INTO titles_index(titles_index) VALUES('optimize')`)
			return err
		}))
		ids = append(ids[:i], ids[i+1:]...)
	}
	for i := range turns {
		ask()
		if i%40 == 39 {
			prune()
		}
	}
	if _, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	for range turns / 10 {
		ask()
	}
	do(s.Delete(ctx, ids[0]))
	prune()

	out := sample{rows: readAll(t, db.DB), pruned: pruned, bytes: map[string][]extent{}}
	for name, into := range map[string]*[]byte{"": &out.db, "-wal": &out.wal} {
		if *into, err = os.ReadFile(filepath.Join(dir, history.FileName+name)); err != nil {
			t.Fatal(err)
		}
	}
	out.locate(t)
	return out
}

// locate finds the bytes of each row in the undamaged files.
func (s sample) locate(t testing.TB) {
	t.Helper()
	f, err := open(s.db, s.wal)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range f.objects() {
		if o.name != "turns" && o.name != "conversations" {
			continue
		}
		for _, n := range f.tree(o.root).pages {
			p, err := f.page(n)
			if err != nil || !p.hasRows() {
				continue
			}
			cells, _ := p.cells()
			for _, c := range cells {
				row, err := c.row()
				if err != nil {
					t.Fatal(err)
				}
				id := string(row[0].data)
				if o.name == "turns" {
					id = string(row[1].data)
				}
				s.bytes[id] = extents(t, c)
			}
		}
	}
	if len(s.bytes) != len(s.rows) {
		t.Fatalf("located %d rows in the file, SQL has %d", len(s.bytes), len(s.rows))
	}
}

// extents returns the byte ranges of a row: its cell and its parts on other pages.
func extents(t testing.TB, c cell) []extent {
	t.Helper()
	end := c.start
	for range 2 { // the size and the row id
		_, n := varint(c.page.data[end:])
		end += n
	}
	end += len(c.local)
	if c.overflow != 0 {
		end += 4
	}
	all := []extent{extentOf(c.page, c.start, end)}
	for next, left := c.overflow, int(c.size)-len(c.local); left > 0; {
		p, err := c.page.db.page(next)
		if err != nil {
			t.Fatal(err)
		}
		part := min(left, len(p.data)-4)
		all = append(all, extentOf(p, 0, 4+part))
		next, left = binary.BigEndian.Uint32(p.data), left-part
	}
	return all
}

func extentOf(p page, start, end int) extent {
	if f, ok := p.db.log.newest[p.number]; ok {
		return extent{true, f.offset + frameHeader + int64(start), f.offset + frameHeader + int64(end)}
	}
	offset := int64(p.number-1) * int64(p.db.pageSize)
	return extent{false, offset + int64(start), offset + int64(end)}
}

// undamaged reports whether the damage misses the cell of a row and its overflow
// pages. Nothing else matters: the header and the cell pointers of its page may be
// gone (cells are then found by their shape), and so may the pages above it, the
// schema, the database header, the free list, and the header or checksum of a log
// frame.
func (s sample) undamaged(id string, hit extent) bool {
	for _, e := range s.bytes[id] {
		if e.inLog == hit.inLog && e.start < hit.end && hit.start < e.end {
			return false
		}
	}
	return true
}

// damages returns deterministic damage cases: flipped bits, bursts of random bytes,
// and zeroed sectors.
func (s sample) damages(bits, bursts, sectors int) []func(db, wal []byte) extent {
	random := rand.New(rand.NewPCG(3, 4))
	var all []func(db, wal []byte) extent
	add := func(length int64, align int64, change func(b []byte)) {
		inLog := random.IntN(3) == 0
		size := int64(len(s.db))
		if inLog {
			size = int64(len(s.wal))
		}
		at := random.Int64N(size-length) / align * align
		all = append(all, func(db, wal []byte) extent {
			target := db
			if inLog {
				target = wal
			}
			change(target[at : at+length])
			return extent{inLog, at, at + length}
		})
	}
	for range bits {
		bit := byte(1) << random.IntN(8)
		add(1, 1, func(b []byte) { b[0] ^= bit })
	}
	for range bursts {
		seed := random.Uint64()
		add(2+random.Int64N(62), 1, func(b []byte) {
			r := rand.New(rand.NewPCG(seed, 0))
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		})
	}
	for range sectors {
		add(512, 512, func(b []byte) { clear(b) })
	}
	return all
}
