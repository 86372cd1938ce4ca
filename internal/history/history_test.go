package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func openStore(t *testing.T) *Store {
	t.Helper()
	store, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func begin(t *testing.T, s *Store, q Question) Turn {
	t.Helper()
	if q.Profile == "" {
		q.Profile = "work"
	}
	if q.Lifetime == 0 {
		q.Lifetime = time.Minute
	}
	turn, err := s.Begin(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func answer(t *testing.T, s *Store, turn Turn, reply string) Branch {
	t.Helper()
	branch, err := s.Answer(t.Context(), turn, reply, Service{ConversationID: "service-" + turn.ID})
	if err != nil {
		t.Fatal(err)
	}
	return branch
}

func questions(turns []Turn) string {
	var texts []string
	for _, turn := range turns {
		texts = append(texts, turn.Question)
	}
	return strings.Join(texts, " ")
}

func TestAnswerStoresAllFields(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q\x00\u202e\x1b[2J日本", AgentID: "a"})
	service := Service{ID: "c", ConversationID: "sc", Model: "m", FinishReason: "length", Usage: &Usage{1, 2, 3}, Response: []byte("{\"raw\":\x01}")}
	if _, err := s.Answer(t.Context(), turn, "reply\x00end", service); err != nil {
		t.Fatal(err)
	}
	turns, err := s.Turns(t.Context(), turn.Conversation)
	if err != nil || len(turns) != 1 {
		t.Fatal(turns, err)
	}
	got := turns[0]
	if got.State != Answered || got.Question != turn.Question || got.Reply != "reply\x00end" || got.Ended.IsZero() {
		t.Errorf("stored %+v", got)
	}
	if *got.Service.Usage != *service.Usage || got.Service.Model != "m" ||
		got.Service.FinishReason != "length" || string(got.Service.Response) != string(service.Response) {
		t.Errorf("service fields are %+v, want %+v", got.Service, service)
	}
}

func TestHeadIsLatestAnswer(t *testing.T) {
	s := openStore(t)
	first := begin(t, s, Question{Text: "one"})
	answer(t, s, first, "1")
	failed := begin(t, s, Question{Conversation: first.Conversation, Parent: first.ID, Text: "lost"})
	if _, err := s.Fail(t.Context(), failed, Unknown, Failure{Text: "reset"}, nil); err != nil {
		t.Fatal(err)
	}
	c, err := s.Find(t.Context(), first.Conversation)
	if err != nil || c.Head != first.ID || c.Turns != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	last, ok, err := s.LastUnanswered(t.Context(), c)
	if err != nil || !ok || last.ID != failed.ID || last.Failure.Text != "reset" {
		t.Errorf("last unanswered is %+v, %v, %v", last, ok, err)
	}
	next := begin(t, s, Question{Conversation: c.ID, Parent: c.Head, Text: "two"})
	if branch := answer(t, s, next, "2"); branch != (Branch{}) {
		t.Errorf("failed sibling reported as a branch: %+v", branch)
	}
	c, _ = s.Find(t.Context(), c.ID)
	if _, ok, _ := s.LastUnanswered(t.Context(), c); ok {
		t.Error("LastUnanswered returned a turn that is not below the head")
	}
	path, err := s.Path(t.Context(), c.Head, 0)
	if err != nil || questions(path) != "one two" {
		t.Errorf("path is %q, %v", questions(path), err)
	}
	if path, _ = s.Path(t.Context(), c.Head, 1); questions(path) != "two" {
		t.Errorf("path of one turn is %q", questions(path))
	}
	ids, err := s.Services(t.Context(), c.ID)
	if err != nil || len(ids) != 2 {
		t.Errorf("service ids of two turns are %v, %v", ids, err)
	}
}

func TestConcurrentQuestionsBecomeSiblings(t *testing.T) {
	s := openStore(t)
	root := begin(t, s, Question{Text: "root"})
	answer(t, s, root, "0")
	other, err := Open(t.Context(), filepath.Dir(s.path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	a := begin(t, s, Question{Conversation: root.Conversation, Parent: root.ID, Text: "a"})
	b := begin(t, other, Question{Conversation: root.Conversation, Parent: root.ID, Text: "b"})
	if branch := answer(t, s, a, "A"); !branch.InFlight || branch.Answered {
		t.Errorf("first answer: %+v", branch)
	}
	if branch := answer(t, other, b, "B"); !branch.Answered || branch.InFlight {
		t.Errorf("second answer: %+v", branch)
	}
	c, _ := s.Find(t.Context(), root.Conversation)
	if c.Head != b.ID {
		t.Error("the later answer is not the head")
	}
	path, _ := s.Path(t.Context(), c.Head, 0)
	if questions(path) != "root b" {
		t.Errorf("path is %q", questions(path))
	}
}

func TestExpiredTurnReadsAsUnknown(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q", Lifetime: time.Minute})
	if turns, _ := s.Turns(t.Context(), turn.Conversation); turns[0].State != Pending {
		t.Errorf("state is %s", turns[0].State)
	}
	s.now = func() time.Time { return time.Now().Add(time.Hour) }
	if turns, _ := s.Turns(t.Context(), turn.Conversation); turns[0].State != Unknown || turns[0].Failure != killed() {
		t.Errorf("after an hour: %+v", turns[0])
	}
}

func TestFailNeverOverwritesAnswer(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q"})
	answer(t, s, turn, "A")
	if _, err := s.Fail(t.Context(), turn, Failed, Failure{Text: "late"}, nil); err == nil {
		t.Error("answered turn marked as failed")
	}
	if turns, _ := s.Turns(t.Context(), turn.Conversation); turns[0].Reply != "A" {
		t.Errorf("reply is %q", turns[0].Reply)
	}
}

func TestFindByIDPrefixAndTitle(t *testing.T) {
	s := openStore(t)
	one := begin(t, s, Question{Text: "x", Title: "notes"})
	two := begin(t, s, Question{Text: "x", Title: "cafe"})
	begin(t, s, Question{Text: "x", Title: "twice"})
	begin(t, s, Question{Text: "x", Title: "twice"})
	if _, err := s.db.Exec(`UPDATE turns SET conversation = conversation; PRAGMA foreign_keys = off;
		UPDATE conversations SET id = 'cafe0000' || substr(id, 9) WHERE title = 'notes'; UPDATE conversations SET id = 'cafe1111' || substr(id, 9) WHERE title = 'twice' AND rowid = 3`); err != nil {
		t.Fatal(err)
	}
	oneID := "cafe0000" + one.Conversation[8:]
	for ref, want := range map[string]string{
		oneID: oneID, strings.ToUpper(oneID): oneID, "cafe0": oneID, "CAFE0": oneID, "notes": oneID,
		"cafe": two.Conversation, // an exact title takes precedence over a prefix
	} {
		if c, err := s.Find(t.Context(), ref); err != nil || c.ID != want {
			t.Errorf("Find(%q) = %s, %v; want %s", ref, c.ID, err, want)
		}
	}
	var missing *NotFoundError
	for _, ref := range []string{"", "caf", "nothing", "note", "%", "' OR 1=1 --", "zzzz"} {
		if _, err := s.Find(t.Context(), ref); !errors.As(err, &missing) {
			t.Errorf("Find(%q): %v, want a NotFoundError", ref, err)
		}
	}
	var many *AmbiguousError
	if _, err := s.Find(t.Context(), "twice"); !errors.As(err, &many) || len(many.Matches) != 2 {
		t.Errorf("title of two conversations: got error %v", err)
	}
}

func TestListIsLatestFirstInProfile(t *testing.T) {
	s := openStore(t)
	clock := time.Now()
	s.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	a := begin(t, s, Question{Text: "a", AgentID: "x"})
	begin(t, s, Question{Text: "b"})
	begin(t, s, Question{Text: "elsewhere", Profile: "other"})
	answer(t, s, a, "A")
	var titles []string
	found, err := s.List(t.Context(), Filter{Profile: "work", Limit: 10})
	for _, c := range found {
		titles = append(titles, c.Title)
	}
	if err != nil || strings.Join(titles, " ") != "a b" {
		t.Errorf("listed %v, %v", titles, err)
	}
	if found, _ = s.List(t.Context(), Filter{Profile: "work", AgentID: "x", Limit: 10}); len(found) != 1 {
		t.Errorf("agent x has %d conversations", len(found))
	}
	if c, err := s.Latest(t.Context(), "work"); err != nil || c.ID != a.Conversation {
		t.Errorf("latest is %+v, %v", c, err)
	}
	joined, err := s.ByService(t.Context(), "work", []string{"service-" + a.ID, "strange"})
	if err != nil || len(joined) != 1 || joined["service-"+a.ID].ID != a.Conversation {
		t.Errorf("joined %v, %v", joined, err)
	}
}

func TestOrderWithinMillisecond(t *testing.T) {
	s := openStore(t)
	now := time.Now()
	s.now = func() time.Time { return now }
	first := begin(t, s, Question{Text: "0"})
	for i := range 20 {
		begin(t, s, Question{Conversation: first.Conversation, Text: fmt.Sprint(i + 1)})
	}
	s.now = func() time.Time { return now.Add(-time.Hour) }
	begin(t, s, Question{Conversation: first.Conversation, Text: "earlier"})
	turns, err := s.Turns(t.Context(), first.Conversation)
	if want := "earlier 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"; err != nil || questions(turns) != want {
		t.Errorf("order is %q, %v", questions(turns), err)
	}
}

func TestTitleOf(t *testing.T) {
	for question, want := range map[string]string{
		"explain\n\ndata":           "explain",
		"\n \t\n  two  words\nmore": "two words",
		"":                          "untitled",
		strings.Repeat("x", 100):    strings.Repeat("x", 59) + "…",
		"日本語":                       "日本語",
		strings.Repeat("word ", 20): strings.TrimSpace(strings.Repeat("word ", 12)) + "…",
	} {
		if got := TitleOf(question); got != want {
			t.Errorf("TitleOf(%q) = %q, want %q", question, got, want)
		}
	}
}

func TestNewerHistoryIsReadOnly(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	turn := begin(t, s, Question{Text: "q"})
	if _, err := s.db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	s, err = Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var newer *sqlite.NewerError
	if err := s.Writable(); !errors.As(err, &newer) {
		t.Errorf("Writable is %v", err)
	}
	if _, err := s.Begin(t.Context(), Question{Text: "x"}); !errors.As(err, &newer) {
		t.Errorf("Begin: %v", err)
	}
	if turns, err := s.Turns(t.Context(), turn.Conversation); err != nil || len(turns) != 1 {
		t.Errorf("Turns: %v, %v", turns, err)
	}
}

func TestOpenExisting(t *testing.T) {
	dir := t.TempDir()
	none, err := OpenExisting(t.Context(), dir)
	if err != nil || none.Saved() {
		t.Fatalf("no history: got error %v", err)
	}
	defer func() { _ = none.Close() }()
	var missing *NotFoundError
	if _, err := none.Latest(t.Context(), ""); !errors.As(err, &missing) || !missing.NoHistory {
		t.Fatalf("Latest without a history: %v", err)
	}
	if created, _ := filepath.Glob(filepath.Join(dir, "*")); len(created) != 0 {
		t.Fatalf("created %v", created)
	}
	writer, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	begin(t, writer, Question{Text: "q", Title: "seen"})
	reader, err := OpenExisting(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	if _, err := reader.Find(t.Context(), "seen"); err != nil {
		t.Error(err)
	}
	if _, err := reader.Begin(t.Context(), Question{Text: "x"}); err == nil {
		t.Error("Begin succeeded on a read-only store")
	}
}

func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	damage(t, filepath.Join(dir, FileName))
	s, err = Open(t.Context(), dir)
	if err == nil {
		_, err = s.List(t.Context(), Filter{Profile: "work", Limit: 1})
		_ = s.Close()
	}
	if !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("got error %v, want ErrDamaged", err)
	}
}

func TestConcurrentWriters(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := Open(context.Background(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = s.Close() }()
			for j := range 10 {
				turn, err := s.Begin(context.Background(), Question{Text: fmt.Sprint(i, " ", j), Profile: "work", Lifetime: time.Minute})
				if err == nil {
					_, err = s.Answer(context.Background(), turn, "r", Service{})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if found, err := s.List(t.Context(), Filter{Profile: "work", Limit: 1000}); err != nil || len(found) != 80 {
		t.Errorf("%d conversations, %v, want 80", len(found), err)
	}
}

// damage overwrites the first pages of a database after its header.
func damage(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	junk := make([]byte, 8000)
	for i := range junk {
		junk[i] = byte(i * 7)
	}
	if _, err := f.WriteAt(junk, 100); err != nil {
		t.Fatal(err)
	}
}
