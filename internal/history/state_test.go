package history

import (
	"cmp"
	"slices"
	"testing"
	"time"
)

func TestStates(t *testing.T) {
	s := openStore(t)
	start := time.Now().Add(-time.Hour)
	s.now = func() time.Time { start = start.Add(time.Second); return start }
	names := map[string]string{} // by id
	ask := func(name, in string) Turn {
		t.Helper()
		turn := begin(t, s, Question{Text: name, Title: name, Conversation: in, Lifetime: 2 * time.Hour})
		names[turn.Conversation] = name
		return turn
	}
	end := func(turn Turn, state State) Turn {
		t.Helper()
		if _, err := s.Fail(t.Context(), turn, state, Failure{Text: "no"}, nil); err != nil {
			t.Fatal(err)
		}
		return turn
	}
	latest := func(want string) {
		t.Helper()
		if c, err := s.Latest(t.Context(), "work"); err != nil || c.Title != want {
			t.Errorf("latest conversation is %q, %v, want %q", c.Title, err, want)
		}
	}
	end(ask("failed", ""), Failed)
	latest("failed") // no conversation has an answer
	answer(t, s, ask("answered", ""), "reply")
	latest("answered")
	mixed := ask("answered, then failed", "")
	answer(t, s, mixed, "reply")
	end(ask("answered, then failed", mixed.Conversation), Failed)
	twice := end(ask("failed twice", ""), Failed)
	end(ask("failed twice", twice.Conversation), Failed)
	unknown := end(ask("unknown", ""), Unknown)
	end(ask("unknown", unknown.Conversation), Failed)
	pending := end(ask("pending", ""), Unknown)
	ask("pending", pending.Conversation)
	killed := begin(t, s, Question{Text: "killed", Title: "killed", Lifetime: time.Millisecond})
	names[killed.Conversation] = "killed"
	empty := Conversation{ID: "eeeeeeee-0000-4000-8000-000000000000", Title: "empty", Profile: "work", Created: start, Updated: start}
	if _, err := s.Import(t.Context(), seqOf(Tree{Conversation: empty}), ""); err != nil {
		t.Fatal(err)
	}
	names[empty.ID] = "empty"
	latest("answered, then failed")
	if c, err := s.LastUsed(t.Context(), "work"); err != nil || c.Title != "empty" {
		t.Errorf("last used is %q, %v", c.Title, err)
	}

	list, err := s.List(t.Context(), Filter{Profile: "work"})
	if err != nil {
		t.Fatal(err)
	}
	states, err := s.States(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	for id, name := range names {
		want := map[string]State{
			"answered": Answered, "answered, then failed": Answered, "failed": Failed, "failed twice": Failed,
			"unknown": Unknown, "killed": Unknown, "pending": Pending, "empty": "",
		}[name]
		if states[id] != want {
			t.Errorf("%q is %q, want %q", name, states[id], want)
		}
	}

	p := Pruning{Before: time.Now().Add(time.Hour), FailedOnly: true}
	unsettled, err := s.Unsettled(t.Context(), p)
	if got := titles(unsettled); err != nil || got != "unknown pending killed" {
		t.Errorf("unsettled: %q, %v", got, err)
	}
	due, err := s.Prunable(t.Context(), p)
	if got := titles(due); err != nil || got != "failed failed twice" {
		t.Fatalf("prunable: %q, %v", got, err)
	}
	ids := []string{unknown.Conversation, mixed.Conversation}
	for _, c := range due {
		ids = append(ids, c.ID)
	}
	if _, err := s.Retry(t.Context(), twice, time.Hour); err != nil { // after Prunable
		t.Fatal(err)
	}
	if n, err := s.Prune(t.Context(), p, ids...); err != nil || n != 1 {
		t.Errorf("removed %d, %v, want only the failed one", n, err)
	}
}

func titles(conversations []Conversation) string {
	text := ""
	for i, c := range conversations {
		if i > 0 {
			text += " "
		}
		text += c.Title
	}
	return text
}

func TestProfiles(t *testing.T) {
	s := openStore(t)
	for profile, n := range map[string]int{"work": 3, "lab": 1, "": 2, "home": 1} {
		for range n {
			begin(t, s, Question{Text: "x", Title: "in " + profile, Profile: cmp.Or(profile, "Zürich")})
		}
	}
	gone, err := s.Find(t.Context(), "in home")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	want := []ProfileCount{{"work", 3}, {"Zürich", 2}, {"lab", 1}}
	if got, err := s.Profiles(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	rough, err := s.RoughProfiles(t.Context(), false)
	if err != nil || !slices.Equal(rough, want) {
		t.Errorf("%v, %v", rough, err)
	}
	if trash, err := s.RoughProfiles(t.Context(), true); err != nil || !slices.Equal(trash, []ProfileCount{{"home", 1}}) {
		t.Errorf("in the trash: %v, %v", trash, err)
	}
	if got := Elsewhere(rough, "work"); got != "2 in profile Zürich (-p 'Zürich'), 1 in profile lab (-p lab)" {
		t.Errorf("Elsewhere: %q", got)
	}
	if _, err := s.db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
		INSERT INTO conversations(id, title, profile, agent_id, created, updated) SELECT i, i, 'lab', '', i, i FROM n`); err != nil {
		t.Fatal(err)
	}
	rough, err = s.RoughProfiles(t.Context(), false)
	if got := Elsewhere(rough, ""); err != nil || got != "more than 1000 in profile lab (-p lab), 3 in profile work (-p work), 2 in profile Zürich (-p 'Zürich')" {
		t.Errorf("Elsewhere: %q, %v", got, err)
	}
	if got, err := s.Profiles(t.Context()); err != nil || got[0] != (ProfileCount{"lab", 2001}) {
		t.Errorf("%v, %v", got, err)
	}
}
