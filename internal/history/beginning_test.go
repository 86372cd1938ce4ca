package history

import (
	"strings"
	"testing"
	"time"
)

func TestConversationsBeginning(t *testing.T) {
	s := openStore(t)
	first := begin(t, s, Question{Text: "one"})
	second := begin(t, s, Question{Text: "two"})
	elsewhere := begin(t, s, Question{Text: "three", Profile: "home"})
	find := func(f Filter, prefix string) string {
		t.Helper()
		found, err := s.ConversationsBeginning(t.Context(), f, prefix)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, c := range found {
			titles = append(titles, c.Title)
		}
		return strings.Join(titles, " ")
	}
	work := Filter{Profile: "work"}
	for prefix, want := range map[string]string{
		"":                                       "two one",
		first.Conversation[:8]:                   "one",
		strings.ToUpper(second.Conversation[:8]): "two",
		second.Conversation:                      "two",
		elsewhere.Conversation[:8]:               "",
		"g":                                      "",
		"%":                                      "",
		first.Conversation + "0":                 "",
		"' OR 1=1 --" + first.Conversation[:8]:   "",
		strings.Repeat("0", 1<<20) + "not so long": "",
	} {
		if got := find(work, prefix); got != want {
			t.Errorf("prefix %.40q: got %q, want %q", prefix, got, want)
		}
	}
	if err := s.Delete(t.Context(), first.Conversation); err != nil {
		t.Fatal(err)
	}
	if got := find(work, first.Conversation[:8]); got != "" {
		t.Errorf("found a conversation in the trash: %q", got)
	}
	if got := find(Filter{Profile: "work", Deleted: true}, first.Conversation[:8]); got != "one" {
		t.Errorf("in the trash: got %q", got)
	}
	if got := find(Filter{Profile: "work", Limit: 1}, ""); got != "two" {
		t.Errorf("limit 1: got %q", got)
	}
}

func TestTurnsBeginning(t *testing.T) {
	s := openStore(t)
	first := begin(t, s, Question{Text: strings.Repeat("long ", 1000)})
	answer(t, s, first, "reply")
	c, err := s.Find(t.Context(), first.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	second := begin(t, s, Question{Text: "second", Conversation: c.ID, Lifetime: time.Minute})
	found, err := s.TurnsBeginning(t.Context(), c.ID, "", 10)
	if err != nil || len(found) != 2 || found[0].ID != second.ID || found[0].Question != "second" || found[0].State != Pending || found[1].State != Answered {
		t.Fatalf("found %+v: %v", found, err)
	}
	if n := len(found[1].Question); n != questionStart || found[1].Reply != "" {
		t.Errorf("read %d bytes of a long question", n)
	}
	found, err = s.TurnsBeginning(t.Context(), c.ID, strings.ToUpper(first.ID[:13]), 10)
	if err != nil || len(found) != 1 || found[0].ID != first.ID {
		t.Errorf("found %+v: %v", found, err)
	}
	if found, err = s.TurnsBeginning(t.Context(), c.ID, "", 1); err != nil || len(found) != 1 {
		t.Errorf("found %+v: %v", found, err)
	}
}
