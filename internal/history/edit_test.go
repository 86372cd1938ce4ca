package history

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRename(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q", Title: "before"})
	if err := s.Rename(t.Context(), turn.Conversation, "after dinner"); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, Query{Text: "before"}); got != "" {
		t.Errorf("the old title still finds %q", got)
	}
	if got := found(t, s, Query{Text: "dinner"}); got != "title:after [dinner]" {
		t.Errorf("the new title finds %q", got)
	}
	if _, err := s.Find(t.Context(), "after dinner"); err != nil {
		t.Error(err)
	}
	if err := s.Rename(t.Context(), "nothing", "x"); err == nil {
		t.Error("renamed a missing conversation")
	}
}

func TestTrash(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q", Title: "mine"})
	if err := s.Delete(t.Context(), turn.Conversation); err != nil {
		t.Fatal(err)
	}
	var missing *NotFoundError
	if _, err := s.Find(t.Context(), "mine"); !errors.As(err, &missing) {
		t.Errorf("found a deleted conversation: %v", err)
	}
	if got := found(t, s, Query{Text: "q mine"}) + found(t, s, Query{Text: "q"}); got != "" {
		t.Errorf("search found a deleted conversation: %q", got)
	}
	c, err := s.FindDeleted(t.Context(), "mine")
	if err != nil || c.Deleted.IsZero() {
		t.Fatal(c, err)
	}
	if list, _ := s.List(t.Context(), Filter{Profile: "work", Deleted: true}); len(list) != 1 {
		t.Errorf("%d conversations in the trash, want 1", len(list))
	}
	if err := s.Restore(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Find(t.Context(), "mine"); err != nil || !c.Deleted.IsZero() {
		t.Errorf("restored %+v, %v", c, err)
	}
}

func TestPruneRemovesOnlyOldConversations(t *testing.T) {
	s := openStore(t)
	now := time.Now()
	at := func(d time.Duration) { s.now = func() time.Time { return now.Add(d) } }
	at(-100 * 24 * time.Hour)
	old := begin(t, s, Question{Text: "ancient", Title: "old"})
	answer(t, s, old, "reply")
	child := begin(t, s, Question{Conversation: old.Conversation, Parent: old.ID, Text: "ancient child"})
	answer(t, s, child, "reply")
	at(0)
	recent := begin(t, s, Question{Text: "ancient, but new"})
	list, err := s.Prunable(t.Context(), Pruning{Before: now.Add(-90 * 24 * time.Hour)})
	if err != nil || len(list) != 1 || list[0].ID != old.Conversation {
		t.Fatalf("prunable %+v, %v", list, err)
	}
	if trash, _ := s.Prunable(t.Context(), Pruning{Before: now.Add(time.Hour), TrashOnly: true}); len(trash) != 0 {
		t.Errorf("%d conversations in the empty trash", len(trash))
	}
	long := Pruning{Before: now.Add(-90 * 24 * time.Hour)}
	if n, err := s.Prune(t.Context(), long, old.Conversation, recent.Conversation); err != nil || n != 1 {
		t.Fatalf("removed %d, %v, want only the old one", n, err)
	}
	if got := found(t, s, Query{Text: "ancient"}); got != "question:[ancient], but new" {
		t.Errorf("search finds %q", got)
	}
	if turns, _ := s.Turns(t.Context(), old.Conversation); len(turns) != 0 {
		t.Errorf("%d turns are left", len(turns))
	}
	if _, err := s.Find(t.Context(), recent.Conversation); err != nil {
		t.Error(err)
	}
}

func TestPruneOfProfile(t *testing.T) {
	s := openStore(t)
	work := begin(t, s, Question{Text: "q", Title: "work"})
	home := begin(t, s, Question{Text: "q", Title: "home", Profile: "home"})
	answer(t, s, work, "a")
	answer(t, s, home, "a")
	for _, trash := range []bool{false, true} {
		if trash {
			if err := s.Delete(t.Context(), work.Conversation, home.Conversation); err != nil {
				t.Fatal(err)
			}
		}
		for profile, want := range map[string]int{"": 2, "work": 1, "none": 0} {
			list, err := s.Prunable(t.Context(), Pruning{Before: time.Now().Add(time.Hour), TrashOnly: trash, Profile: profile})
			if err != nil || len(list) != want {
				t.Errorf("%q, trash %v: %+v, %v; want %d", profile, trash, list, err, want)
			}
		}
	}
	p := Pruning{Before: time.Now().Add(time.Hour), TrashOnly: true, Profile: "work"}
	if n, err := s.Prune(t.Context(), p, work.Conversation, home.Conversation); err != nil || n != 1 {
		t.Errorf("removed %d, %v", n, err)
	}
	if _, err := s.FindDeleted(t.Context(), home.Conversation); err != nil {
		t.Errorf("conversation of the other profile: %v", err)
	}
}

func TestPruneErasesText(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "xylophonequestion", Title: "xylophonetitle", Instructions: &Instructions{Text: "xylophoneinstructions", Source: OwnInstructions}})
	for _, text := range []string{strings.Repeat("xylophonelong ", 2000), "xylophoneshort"} {
		if err := s.SetInstructions(t.Context(), turn.Conversation, Instructions{Text: text, Source: AgentInstructions, Name: "xylophonist"}); err != nil {
			t.Fatal(err)
		}
	}
	answer(t, s, turn, strings.Repeat("xylophonereply ", 2000))
	answer(t, s, begin(t, s, Question{Text: "other"}), "other")
	if n, err := s.Prune(t.Context(), Pruning{Before: time.Now().Add(time.Hour)}, turn.Conversation); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	waiting := begin(t, s, Question{Text: "pending"})
	if n, err := s.Prune(t.Context(), Pruning{Before: time.Now().Add(time.Hour)}, waiting.Conversation); err != nil || n != 0 {
		t.Errorf("removed %d pending conversations, %v", n, err)
	}
	files, err := filepath.Glob(s.path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if data, _ := os.ReadFile(name); bytes.Contains(data, []byte("xylopho")) {
			t.Errorf("%s still contains the text", filepath.Base(name))
		}
	}
}

func TestFindTurn(t *testing.T) {
	s := openStore(t)
	one := begin(t, s, Question{Text: "one"})
	if _, err := s.Answer(t.Context(), one, "1", Service{ID: "completion", ConversationID: "there"}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"completion", "there"} {
		if turn, err := s.FindByService(t.Context(), id); err != nil || turn.ID != one.ID {
			t.Errorf("%s: got %s, %v", id, turn.ID, err)
		}
	}
	for _, ref := range []string{one.ID, one.ID[:4], one.ID[:13]} {
		for _, conversation := range []string{"", one.Conversation} {
			if turn, err := s.FindTurn(t.Context(), conversation, ref); err != nil || turn.ID != one.ID {
				t.Errorf("%q in %q: got %s, %v", ref, conversation, turn.ID, err)
			}
		}
	}
	var missing *TurnNotFoundError
	for _, ref := range []string{"", "abc", "%%%%", "ffff", "g000"} {
		if _, err := s.FindTurn(t.Context(), "", ref); !errors.As(err, &missing) {
			t.Errorf("%q: got error %v", ref, err)
		}
	}
	if _, err := s.FindTurn(t.Context(), "elsewhere", one.ID); !errors.As(err, &missing) {
		t.Errorf("turn of another conversation: got error %v", err)
	}
}

func TestRetryMovesHeadUnlessConversationContinued(t *testing.T) {
	s := openStore(t)
	root := begin(t, s, Question{Text: "root"})
	answer(t, s, root, "0")
	lose := func(text string) Turn {
		turn := begin(t, s, Question{Conversation: root.Conversation, Parent: root.ID, Text: text})
		if _, err := s.Fail(t.Context(), turn, Unknown, Failure{Text: "reset"}, nil); err != nil {
			t.Fatal(err)
		}
		return turn
	}
	head := func() string {
		c, err := s.Find(t.Context(), root.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		return c.Head
	}
	first := lose("first")
	open, err := s.Unanswered(t.Context(), "work", "")
	if err != nil || len(open) != 1 || open[0].ID != first.ID {
		t.Fatalf("unanswered %+v, %v", open, err)
	}
	again, err := s.Retry(t.Context(), open[0], time.Minute)
	if err != nil || again.ID != first.ID {
		t.Fatal(err)
	}
	if _, err := s.Retry(t.Context(), open[0], time.Minute); err == nil {
		t.Error("retried a pending turn")
	}
	if branch := answer(t, s, again, "1"); branch.Answered || head() != first.ID {
		t.Errorf("retried turn: %+v, head %s", branch, head())
	}
	if err := s.Switch(t.Context(), Turn{ID: root.ID, Conversation: root.Conversation, State: Answered}); err != nil {
		t.Fatal(err)
	}
	second := lose("second")
	third := begin(t, s, Question{Conversation: root.Conversation, Parent: root.ID, Text: "third"})
	answer(t, s, third, "3")
	if again, err = s.Retry(t.Context(), second, time.Minute); err != nil {
		t.Fatal(err)
	}
	answer(t, s, again, "2")
	if head() != third.ID {
		t.Errorf("retry moved the head of a continued conversation")
	}
	if err := s.Switch(t.Context(), lose("lost")); err == nil {
		t.Error("switched to an unanswered turn")
	}
}

func TestSetMarks(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q"})
	for _, mark := range []Mark{Pinned, Skipped, Unmarked} {
		if err := s.SetMarks(t.Context(), turn.Conversation, map[Mark][]string{mark: {turn.ID[:8]}}); err != nil {
			t.Fatal(err)
		}
		if got, err := s.FindTurn(t.Context(), "", turn.ID); err != nil || got.Mark != mark {
			t.Errorf("mark is %q, %v; want %q", got.Mark, err, mark)
		}
	}
	err := s.SetMarks(t.Context(), turn.Conversation, map[Mark][]string{Pinned: {turn.ID}, Skipped: {"ffffffff"}})
	if got, ferr := s.FindTurn(t.Context(), "", turn.ID); !errors.As(err, new(*TurnNotFoundError)) || ferr != nil || got.Mark != Unmarked {
		t.Errorf("unknown turn: %v, mark is %q, %v", err, got.Mark, ferr)
	}
}
