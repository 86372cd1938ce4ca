package transfer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// pieces are the parts of random text: many scripts, and characters that are special in a format.
var pieces = []string{
	"plain words ", "ünïcode ", "Ελληνικά ", "Кириллица ", "עברית ", "العربية ", "हिन्दी ", "ไทย ", "日本語の文", "한국어 ", "汉字", "አማርኛ ", "ᚠᚢᚦ ", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ", "𐍈 ",
	"👩‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301\u0323", "\x00", "\x1b[2J", "\x7f", "\u009b31m", "\u202e", "\u2066", "\u200f", "\u2028", "\ufeff", "\ufffd", "\ufdd0", "\U0010ffff",
	"\r", "\n", "\r\n", "\t", `"`, `\`, `\u0000`, "</script>", "<b>&amp;", "```\n", "$(x)", "`x`", "%s", "';--", "{{.}}",
}

func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func randomID(r *rand.Rand) string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id.String()
}

func maybe[T any](r *rand.Rand, value T) T {
	var none T
	if r.IntN(3) == 0 {
		return none
	}
	return value
}

// randomTree returns a tree with branches, all marks, all states except pending, and
// several turns in the same millisecond.
func randomTree(r *rand.Rand) history.Tree {
	at := time.UnixMilli(1_700_000_000_000 + r.Int64N(1_000_000)).UTC()
	c := history.Conversation{
		ID: randomID(r), Title: randomText(r, 6), Profile: maybe(r, randomText(r, 2)), AgentID: maybe(r, randomID(r)),
		Created: at, Updated: at.Add(time.Hour), Deleted: maybe(r, at.Add(2*time.Hour)),
	}
	var turns []history.Turn
	var answered []string
	for range r.IntN(9) {
		at = at.Add(time.Duration(r.IntN(3)) * time.Millisecond)
		t := history.Turn{
			ID: randomID(r), Conversation: c.ID, Question: randomText(r, 6), AgentID: maybe(r, randomID(r)), Asked: at,
			State: []history.State{history.Answered, history.Answered, history.Answered, history.Failed, history.Unknown}[r.IntN(5)], Mark: []history.Mark{history.Unmarked, history.Unmarked, history.Pinned, history.Skipped}[r.IntN(4)],
		}
		if len(answered) > 0 && r.IntN(8) > 0 {
			t.Parent = answered[max(0, len(answered)-1-r.IntN(3))]
		}
		t.Ended = at.Add(time.Duration(r.IntN(5000)) * time.Millisecond)
		if t.State == history.Failed || t.State == history.Unknown {
			t.Failure = history.Failure{Kind: []failure.Kind{failure.Auth, failure.NotSent, failure.Unrecorded}[r.IntN(3)], Status: []int{0, 401, 503}[r.IntN(3)], Text: randomText(r, 3)}
		}
		if t.State == history.Answered {
			answered = append(answered, t.ID)
			t.Reply = randomText(r, 12)
			t.Service = history.Service{ID: maybe(r, randomID(r)), ConversationID: maybe(r, randomID(r)), Model: maybe(r, randomText(r, 1)), FinishReason: maybe(r, "length")}
			t.Service.Usage = maybe(r, &history.Usage{PromptTokens: r.Int64N(1e6), CompletionTokens: r.Int64N(1e6), TotalTokens: r.Int64N(history.MaxTokens + 1)})
		}
		switch r.IntN(4) {
		case 0:
			t.Service.Response = []byte(randomText(r, 10) + "{}")
		case 1:
			t.Service.Response = []byte(randomText(r, 3) + "\xff\x00\xc3")
		}
		turns = append(turns, t)
	}
	if len(answered) > 0 {
		c.Head = maybe(r, answered[r.IntN(len(answered))])
	}
	if r.IntN(4) == 0 { // after a clock was set back, a child precedes its parent
		slices.Reverse(turns)
		for i := range turns {
			turns[i].Asked = c.Created.Add(time.Duration(i/2) * time.Millisecond)
		}
	}
	c.Turns = len(turns)
	instructions := history.Instructions{
		Text: maybe(r, randomText(r, 20)), Name: maybe(r, randomText(r, 1)),
		Source: []history.InstructionsSource{history.OwnInstructions, history.AgentInstructions, history.ProjectInstructions, history.ProfileInstructions}[r.IntN(4)],
	}
	return history.Tree{Conversation: c, Instructions: maybe(r, instructions), Turns: turns}
}

func openStore(t testing.TB) *history.Store {
	t.Helper()
	s, err := history.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func begin(t *testing.T, s *history.Store, q history.Question) history.Turn {
	t.Helper()
	turn, err := s.Begin(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func seqOf(trees []history.Tree) func(func(history.Tree, error) bool) {
	return func(yield func(history.Tree, error) bool) {
		for _, tree := range trees {
			if !yield(tree, nil) {
				return
			}
		}
	}
}

func exported(t *testing.T, s *history.Store, ids ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := writeHobnob(&out, nil, s.Trees(t.Context(), ids...)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestThousandTreesRoundTrip(t *testing.T) {
	for batch := range 4 {
		t.Run(fmt.Sprint(batch), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, uint64(batch)))
			trees := make([]history.Tree, 250)
			for i := range trees {
				trees[i] = randomTree(r)
			}
			roundTrip(t, trees)
		})
	}
}

func roundTrip(t *testing.T, trees []history.Tree) {
	var ids []string
	turns := 0
	for _, tree := range trees {
		ids = append(ids, tree.Conversation.ID)
		turns += len(tree.Turns)
	}
	first, second := openStore(t), openStore(t)
	if _, err := first.Import(t.Context(), seqOf(trees), ""); err != nil {
		t.Fatal(err)
	}
	out := exported(t, first, ids...)

	i := 0
	for tree, err := range readHobnob(bytes.NewReader(out)) {
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(tree, trees[i]) {
			t.Fatalf("tree %d: got\n%+v\nwant\n%+v", i, tree, trees[i])
		}
		i++
	}
	want := history.Imported{Conversations: len(trees), Added: turns}
	if did, err := second.Import(t.Context(), readHobnob(bytes.NewReader(out)), ""); err != nil || did != want {
		t.Fatalf("imported %+v, %v, want %+v", did, err, want)
	}
	if again := exported(t, second, ids...); !bytes.Equal(again, out) {
		t.Error("second export differs from the first")
	}
	if did, err := second.Import(t.Context(), seqOf(trees), "other"); err != nil || did != (history.Imported{Skipped: turns}) {
		t.Errorf("second import: %+v, %v, want %d turns skipped", did, err, turns)
	}
	if again := exported(t, second, ids[:20]...); !bytes.Equal(again, exported(t, first, ids[:20]...)) {
		t.Error("second import changed the history")
	}
	for _, tree := range trees[:20] {
		sameTurns(t, first, second, tree.Conversation.ID)
	}
}

// sameTurns checks that a conversation has the same turns in two stores.
func sameTurns(t *testing.T, a, b *history.Store, conversation string) {
	t.Helper()
	inA, err := a.Turns(t.Context(), conversation)
	if err != nil {
		t.Fatal(err)
	}
	inB, err := b.Turns(t.Context(), conversation)
	if err != nil || !reflect.DeepEqual(inA, inB) {
		t.Errorf("conversation %s: got %+v, %v, want %+v", conversation, inB, err, inA)
	}
}

func TestExportEscapesControlCharacters(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, history.Question{Text: "\x1b[2J\x7f\u009b\u202e\u2066\u200f\r\x00 日本"})
	if _, err := s.Answer(t.Context(), turn, "x", history.Service{}); err != nil {
		t.Fatal(err)
	}
	out := string(exported(t, s, turn.Conversation))
	if strings.ContainsFunc(out, func(r rune) bool {
		return r < 0x20 && r != '\n' || r >= 0x7f && r <= 0x9f || r == '\u202e' || r == '\u2066' || r == '\u200f'
	}) {
		t.Errorf("control characters in %q", out)
	}
	if !strings.Contains(out, "日本") {
		t.Error("escapes harmless characters")
	}
}

func TestTurnOfKilledProcessIsExportedAsUnknown(t *testing.T) {
	s := openStore(t)
	waiting := begin(t, s, history.Question{Text: "q", Lifetime: time.Hour})
	killed := begin(t, s, history.Question{Text: "q", Lifetime: -time.Hour})
	out := string(exported(t, s, waiting.Conversation, killed.Conversation))
	if strings.Count(out, `"state":"pending","failure":null`) != 1 || strings.Count(out, `"state":"unknown","failure":"hobnob exited before the answer arrived","failure_kind":"unknown"`) != 1 {
		t.Errorf("exported %s", out)
	}
	other := openStore(t)
	if _, err := other.Import(t.Context(), readHobnob(strings.NewReader(out)), ""); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{waiting.Conversation, killed.Conversation} {
		turns, err := other.Turns(t.Context(), id)
		if err != nil || turns[0].State != history.Unknown {
			t.Errorf("imported turn: got %+v, %v, want unknown", turns, err)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

func TestExportStopsAtWriteError(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, history.Question{Text: strings.Repeat("x", 1<<17)})
	if err := writeHobnob(brokenWriter{}, nil, s.Trees(t.Context(), turn.Conversation)); err == nil || err.Error() != "disk full" {
		t.Errorf("got error %v", err)
	}
	if _, err := s.Begin(t.Context(), history.Question{Conversation: turn.Conversation, Text: "next"}); err != nil {
		t.Errorf("Begin after the export: %v", err)
	}
}
