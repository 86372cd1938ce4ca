package history

import (
	"strings"
	"testing"
	"time"
)

func TestConversationInFutureIsNotLatest(t *testing.T) {
	s := openStore(t)
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return clock }
	ask := func(title string, at time.Duration) Turn {
		old := clock
		clock = clock.Add(at)
		turn := begin(t, s, Question{Text: "q", Title: title})
		clock = old
		return turn
	}
	listed := func(limit int) string {
		found, err := s.List(t.Context(), Filter{Profile: "work", Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, c := range found {
			titles = append(titles, c.Title)
		}
		return strings.Join(titles, " ")
	}
	ahead := ask("ahead", 2*time.Hour)
	if c, err := s.Latest(t.Context(), "work"); err != nil || c.Title != "ahead" {
		t.Errorf("only conversation not found: %+v, %v", c, err)
	}
	ask("further", 3*time.Hour)
	ask("older", -time.Hour)
	ask("new", 0)
	ask("soon", time.Minute) // within the tolerance
	for limit, want := range map[int]string{
		0: "soon new older further ahead", 1: "soon", 3: "soon new older", 4: "soon new older further", 9: "soon new older further ahead",
	} {
		if got := listed(limit); got != want {
			t.Errorf("limit %d: got %s, want %s", limit, got, want)
		}
	}

	// A new question sets the current time.
	clock = clock.Add(2 * time.Minute)
	next := begin(t, s, Question{Conversation: ahead.Conversation, Text: "more"})
	if got := listed(1); got != "ahead" {
		t.Errorf("latest is %s, want the one with the new question", got)
	}
	clock = clock.Add(time.Minute)
	answer(t, s, next, "a")
	if c, err := s.Find(t.Context(), "ahead"); err != nil || !c.Updated.Equal(clock) {
		t.Errorf("updated %v, %v; want %v", c.Updated, err, clock)
	}
}
