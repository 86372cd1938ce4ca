package history

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Search terms that occur in any generated history.
const (
	rareWord   = "zyzzyva" // in rareTurns turns
	commonWord = "ba"      // in nearly every turn
	phrase     = "quiet lantern"
	rareTurns  = 10
)

const (
	perTransaction = 5000 // turns
	vocabulary     = 60_000
	openAtOnce     = 50 // conversations in progress at the same time
)

// echoAgent is the id of an agent of the embedded service.
const echoAgent = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e02"

// generator generates a history that resembles years of use: several profiles and
// agents, conversations of one to thousands of turns with branches, and words that
// follow Zipf's law. The same seed gives the same history.
type generator struct {
	rand *rand.Rand
	zipf *rand.Zipf
	now  time.Time
	open []*growing
	made int // number of turns
	all  int // number of turns to generate
}

// growing is a conversation in progress.
type growing struct {
	Conversation
	left   int
	before string // the parent of the head
}

// generate fills an empty history with turns that were asked before 2025.
func generate(ctx context.Context, s *Store, turns int, seed uint64) error {
	if _, err := s.db.ExecContext(ctx, `PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA wal_autocheckpoint = 50000`); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, seed))
	g := generator{rand: r, zipf: rand.NewZipf(r, 1.07, 2, vocabulary-1), now: time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC), all: turns}
	for g.made < g.all {
		if err := s.write(ctx, func(tx *sql.Tx) error {
			for range min(perTransaction, g.all-g.made) {
				if err := g.turn(ctx, tx); err != nil {
					return err
				}
			}
			return g.settle(ctx, tx)
		}); err != nil {
			return err
		}
	}
	return nil
}

// turn adds a turn to one of the open conversations. A finished one is replaced by a
// new one.
func (g *generator) turn(ctx context.Context, tx *sql.Tx) error {
	g.now = g.now.Add(time.Duration(g.rand.IntN(180_000)) * time.Millisecond)
	question := g.text(2, 0.7)
	at := g.rand.IntN(openAtOnce)
	if at >= len(g.open) {
		at = len(g.open)
		g.open = append(g.open, &growing{})
	}
	c := g.open[at]
	if c.left == 0 {
		if c.ID != "" {
			if err := g.write(ctx, tx, c); err != nil {
				return err
			}
		}
		c = &growing{left: g.length(), Conversation: Conversation{
			ID: g.id(), Title: TitleOf(question), Created: g.now, Updated: g.now,
			Profile: pick(g.rand, "default", "default", "work", "home"), AgentID: pick(g.rand, echoAgent, g.agent(1), g.agent(2), g.agent(3)),
		}}
		if err := insertConversation(ctx, tx, c.Conversation); err != nil {
			return err
		}
		g.open[at] = c
	}
	t := Turn{ID: g.id(), Conversation: c.ID, Parent: c.Head, Question: question, State: Answered, AgentID: c.AgentID, Asked: g.now, Ended: g.now.Add(2 * time.Second)}
	if g.rand.IntN(20) == 0 {
		t.Parent = c.before // a sibling of the head
	}
	if g.rand.IntN(50) == 0 {
		t.State, t.Failure = pick(g.rand, Failed, Unknown), Failure{Text: "connection reset by peer"}
	} else {
		t.Reply = g.text(3.4, 0.8)
		tokens := int64(len(t.Reply)/4 + 1)
		t.Service = Service{
			ID: "chatcmpl-" + g.id()[:23], ConversationID: g.id(), Model: "model-" + c.AgentID[:4], FinishReason: "stop",
			Usage: &Usage{PromptTokens: tokens, CompletionTokens: tokens, TotalTokens: 2 * tokens},
		}
		c.before, c.Head = t.Parent, t.ID
	}
	c.Updated = t.Ended
	c.left--
	g.made++
	return insertTurn(ctx, tx, t, t.Asked, "")
}

// settle writes the heads of the conversations in progress.
func (g *generator) settle(ctx context.Context, tx *sql.Tx) error {
	for _, c := range g.open {
		if err := g.write(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) write(ctx context.Context, tx *sql.Tx, c *growing) error {
	_, err := tx.ExecContext(ctx, `UPDATE conversations SET head = ?, updated = ? WHERE id = ?`, null(c.Head), millis(c.Updated), c.ID)
	return err
}

// length returns the number of turns of a conversation: one for about half of them,
// thousands for a few.
func (g *generator) length() int {
	return min(4000, int(math.Pow(1-g.rand.Float64(), -1/1.1)))
}

// text returns a text of about e to the power of size words, some of them with the
// search terms.
func (g *generator) text(size, spread float64) string {
	n := 1 + int(math.Exp(size+spread*g.rand.NormFloat64()))
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(" \n"[min(1, i%40/39)])
		}
		b.WriteString(word(g.zipf.Uint64()))
	}
	switch g.rand.IntN(1000) {
	case 0:
		b.WriteString(" " + phrase)
	case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15:
		b.WriteString(" quiet")
	case 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30:
		b.WriteString(" lantern")
	}
	if every := max(1, g.all/rareTurns); g.made%every == every/2 && size < 3 {
		b.WriteString(" " + rareWord)
	}
	return b.String()
}

// word returns the word of a rank. The most frequent words have one syllable, most have three.
func word(rank uint64) string {
	const consonants, vowels = "bcdfghjklmnprstvwxyz", "aeiou"
	syllables := uint64(len(consonants) * len(vowels))
	n, first := 1, uint64(0)
	for size := syllables; rank-first >= size; size *= syllables {
		n, first = n+1, first+size
	}
	rank -= first
	var b strings.Builder
	for range n {
		s := rank % syllables
		b.WriteByte(consonants[s/uint64(len(vowels))])
		b.WriteByte(vowels[s%uint64(len(vowels))])
		rank /= syllables
	}
	return b.String()
}

func (g *generator) id() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], g.rand.Uint64())
	binary.LittleEndian.PutUint64(b[8:], g.rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return uuid.UUID(b).String()
}

func (*generator) agent(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func TestGenerate(t *testing.T) {
	s := openStore(t)
	if err := generate(t.Context(), s, 2000, 1); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][2]int{rareWord: {rareTurns, rareTurns}, commonWord: {1500, 2000}, `"` + phrase + `"`: {1, 20}} {
		hits, err := s.Search(t.Context(), Query{Text: text, Limit: 2000})
		if err != nil || len(hits) < want[0] || len(hits) > want[1] {
			t.Errorf("%s: %d hits, %v, want %d to %d", text, len(hits), err, want[0], want[1])
		}
	}
	other := openStore(t)
	if err := generate(t.Context(), other, 2000, 1); err != nil {
		t.Fatal(err)
	}
	const fingerprint = `SELECT group_concat(id || question || coalesce(reply, '') || state || coalesce(parent, '')) FROM (SELECT * FROM turns ORDER BY seq)`
	var a, b string
	if err := s.db.QueryRow(fingerprint).Scan(&a); err != nil {
		t.Fatal(err)
	}
	if err := other.db.QueryRow(fingerprint).Scan(&b); err != nil || a != b {
		t.Errorf("the same seed gave a different history, %v", err)
	}
}
