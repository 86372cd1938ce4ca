package history

import (
	"cmp"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// found returns hits as "field:snippet" with the marks in brackets.
func found(t *testing.T, s *Store, q Query) string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 20
	}
	hits, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	var out []string
	for _, h := range hits {
		text := h.Snippet
		for i := len(h.Marks) - 1; i >= 0; i-- {
			m := h.Marks[i]
			text = text[:m[0]] + "[" + text[m[0]:m[1]] + "]" + text[m[1]:]
		}
		out = append(out, h.Field+":"+text)
	}
	return strings.Join(out, " | ")
}

func TestSearch(t *testing.T) {
	s := openStore(t)
	clock := time.Now().Add(-time.Hour)
	s.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	ask := func(q Question, reply string) {
		t.Helper()
		answer(t, s, begin(t, s, q), reply)
	}
	ask(Question{Text: "how do goroutines leak", Title: "Go notes"}, "When a channel is never read.")
	ask(Question{Text: "Où est le café ?", Title: "French", AgentID: "b"}, "À côté de l'école")
	ask(Question{Text: "東京タワーの高さは", Title: "建物"}, "３３３メートルです")
	ask(Question{Text: "Ørsted in Łódź, Straße", Title: "x"}, "y")
	ask(Question{Text: "한국어 दान", Title: "x"}, "y")
	ask(Question{Text: "channel tunnel", Title: "Trains"}, "from Calais to Folkestone, never late")

	for query, want := range map[string]string{
		"goroutines":         "question:how do [goroutines] leak",
		"GOROUTINE*":         "question:how do [goroutines] leak",
		"goroutine":          "",
		"channel":            "question:[channel] tunnel | reply:When a [channel] is never read.",
		"channel -tunnel":    "reply:When a [channel] is never read.",
		"never channel":      "question:[channel] tunnel | reply:When a [channel] is [never] read.",
		`"never read"`:       "reply:When a channel is [never read].",
		`"read never"`:       "",
		"cafe":               "question:Où est le [café] ?",
		"CAFÉ":               "question:Où est le [café] ?",
		"ecole":              "reply:À côté de l'[école]",
		"ou":                 "question:[Où] est le café ?",
		"タワー":                "question:東京[タワー]の高さは",
		"orsted":             "question:[Ørsted] in Łódź, Straße",
		"straße lodz":        "question:Ørsted in [Łódź], [Straße]",
		"한국":                 "question:[한국]어 दान",
		"दान":                "question:한국어 [दान]",
		"दीन":                "",
		"京タ":                 "question:東[京タ]ワーの高さは",
		"高い":                 "",
		"333":                "reply:[３３３]メートルです",
		"建":                  "title:[建]物",
		"french":             "title:[French]",
		"-channel":           "",
		"":                   "",
		`"`:                  "",
		`" AND OR NOT NEAR(`: "",
		"channel*":           "question:[channel] tunnel | reply:When a [channel] is never read.",
		"question:channel":   "",
		"nothing^here{}":     "",
		"channel)":           "question:[channel] tunnel | reply:When a [channel] is never read.",
	} {
		if got := found(t, s, Query{Text: query}); got != want {
			t.Errorf("search %q found %q, want %q", query, got, want)
		}
	}
	for name, tc := range map[string]struct {
		q    Query
		want string
	}{
		"questions only": {Query{Text: "channel", Role: "user"}, "question:[channel] tunnel"},
		"replies only":   {Query{Text: "channel", Role: "assistant"}, "reply:When a [channel] is never read."},
		"agent":          {Query{Text: "est", AgentID: "b"}, "question:Où [est] le café ?"},
		"another agent":  {Query{Text: "channel", AgentID: "b"}, ""},
		"limit":          {Query{Text: "channel", Limit: 1}, "question:[channel] tunnel"},
		"since":          {Query{Text: "channel", Since: clock.Add(-3 * time.Second)}, "question:[channel] tunnel"},
		"profile":        {Query{Text: "channel", Profile: "other"}, ""},
	} {
		if got := found(t, s, tc.q); got != tc.want {
			t.Errorf("%s: found %q, want %q", name, got, tc.want)
		}
	}
}

func TestMigrationOfSearchIndex(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1200 {
		turn := begin(t, s, Question{Text: fmt.Sprintf("needle %d", i), Title: "hay"})
		if i == 3 {
			answer(t, s, turn, "straw")
		}
	}
	if _, err := s.db.Exec(`DROP TABLE turns_index; DROP TABLE titles_index; DROP INDEX conversations_updated; DROP INDEX conversations_deleted; DROP INDEX turns_completion; DROP INDEX turns_agent;
		ALTER TABLE conversations DROP COLUMN instructions; ALTER TABLE conversations DROP COLUMN instructions_source; ALTER TABLE conversations DROP COLUMN instructions_name;
		ALTER TABLE turns DROP COLUMN mark; ALTER TABLE turns DROP COLUMN failure_kind; ALTER TABLE turns DROP COLUMN failure_status; PRAGMA user_version = 1`); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if s, err = Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for query, want := range map[string]int{"needle": 1200, "straw": 1, "hay": 1200} {
		hits, err := s.Search(t.Context(), Query{Text: query, Limit: 2000})
		if err != nil || len(hits) != want {
			t.Errorf("%s: %d hits, %v, want %d", query, len(hits), err, want)
		}
	}
}

func TestMatchesAgreesWithIndex(t *testing.T) {
	s := openStore(t)
	titles := []string{"Où est le café ?", "京タワー", "go go gadget", "a-b c_d", "３３３ ﬁne", "tunnel", "café au lait 京都", "İstanbul"}
	for _, title := range titles {
		begin(t, s, Question{Text: "x", Title: title})
	}
	for _, query := range []string{"cafe", "京", "京タ", "京都", "go", `"go go"`, `"go go go"`, "ga*", "-ga* go", "b c", `"b c"`, "c_d", "333", "fine", "fi*", "cafe -lait", "i*", "istanbul", "none"} {
		want, reject := parseQuery(query)
		var indexed int
		if err := s.db.QueryRow(`SELECT count(*) FROM titles_index WHERE titles_index MATCH ?`, match(want, reject)).Scan(&indexed); err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, title := range titles {
			if matches(title, want, reject) {
				read++
			}
		}
		if read != indexed {
			t.Errorf("%s: %d titles match, the index finds %d", query, read, indexed)
		}
	}
}

func TestTitlesSortByLastUse(t *testing.T) {
	s := openStore(t)
	for i, text := range []string{"needle 1", "hay", "needle 2"} {
		now := time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
		s.now = func() time.Time { return now }
		title := "straw"
		if text == "hay" {
			title = "needle box"
		}
		begin(t, s, Question{Text: text, Title: title})
	}
	for limit, want := range []string{1: "question:[needle] 2", 2: "question:[needle] 2 | title:[needle] box", 3: "question:[needle] 2 | title:[needle] box | question:[needle] 1"} {
		if got := found(t, s, Query{Text: "needle", Limit: limit}); limit > 0 && got != want {
			t.Errorf("limit %d: found %q, want %q", limit, got, want)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{`"a b" c* -d`, `-"`, "*", "東京 -の*", "a\x00b", `"unclosed`, "NEAR(a b, 3)", "é\u0301", "-*", `""*`} {
		f.Add(seed, "some text with "+seed)
	}
	s, err := Open(f.Context(), f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	f.Fuzz(func(t *testing.T, query, text string) {
		if !utf8.ValidString(text) || text == "" {
			t.Skip()
		}
		if _, err := s.Begin(t.Context(), Question{Text: text, Profile: "p", Lifetime: time.Minute}); err != nil {
			t.Fatal(err)
		}
		hits, err := s.Search(t.Context(), Query{Text: query, Limit: 5})
		if err != nil {
			t.Fatalf("query %q: %v", query, err)
		}
		for _, h := range hits {
			for _, m := range h.Marks {
				if m[0] < 0 || m[1] > len(h.Snippet) || m[0] >= m[1] {
					t.Fatalf("mark %v is outside of %q", m, h.Snippet)
				}
			}
		}
		// A text is found by each of its words.
		for i, word := range terms(text) {
			if i > 20 {
				break
			}
			if got, err := s.Search(t.Context(), Query{Text: `"` + word.text + `"`, Limit: 1}); err != nil || len(got) == 0 {
				t.Fatalf("%q of %q not found, %v", word.text, text, err)
			}
		}
	})
}

func TestSearchFindsEmoji(t *testing.T) {
	dir := t.TempDir()
	older := Schema()
	older.Migrations = older.Migrations[:3]
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, FileName), older)
	if err != nil {
		t.Fatal(err)
	}
	// The index of an older version.
	if err := db.Write(t.Context(), func(tx *sql.Tx) error {
		c := Conversation{ID: idA, Title: "old 🎉", Profile: "p"}
		turn := Turn{ID: idB, Conversation: idA, Question: "did it work 🎉", State: Failed, Asked: time.UnixMilli(1000)}
		if err := cmp.Or(insertConversation(t.Context(), tx, c), insertTurn(t.Context(), tx, turn, time.Time{}, "")); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT OR REPLACE INTO turns_index(rowid, question, reply) SELECT seq, 'did it work', '' FROM turns`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	s, err := OpenExisting(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if s, err = Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	ask := func(question, reply string) {
		t.Helper()
		answer(t, s, begin(t, s, Question{Text: question, Title: "x"}), reply)
	}
	ask("ship it", "done🚀now")
	ask("well done 👍🏽", "flag 🇩🇪, family 👨‍👩‍👧, heart ❤️, tea ☕")
	ask("└── a tree", "├── b")
	for query, want := range map[string]string{
		"🎉":       "question:did it work [🎉]",
		"work 🎉":  "question:did it [work] [🎉]",
		"🚀":       "reply:done[🚀]now",
		"done":    "question:well [done] 👍🏽 | reply:[done]🚀now",
		"done -🚀": "question:well [done] 👍🏽",
		"👍":       "question:well done [👍]🏽",
		"👍🏽":      "question:well done [👍🏽]",
		"👍🏿":      "",
		"🇩🇪":      "reply:flag [🇩🇪], family 👨‍👩‍👧, heart ❤️, tea ☕",
		"👨‍👩‍👧":   "reply:flag 🇩🇪, family [👨‍👩‍👧], heart ❤️, tea ☕",
		"❤":       "reply:flag 🇩🇪, family 👨‍👩‍👧, heart [❤]️, tea ☕",
		"❤️":      "reply:flag 🇩🇪, family 👨‍👩‍👧, heart [❤]️, tea ☕",
		"☕":       "reply:flag 🇩🇪, family 👨‍👩‍👧, heart ❤️, tea [☕]",
		"🙈":       "",
		"├":       "",
		"1f680":   "",
	} {
		if got := found(t, s, Query{Text: query}); got != want {
			t.Errorf("search %q found %q, want %q", query, got, want)
		}
	}
}
