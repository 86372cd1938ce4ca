package history

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestBrowse(t *testing.T) {
	s := openStore(t)
	clock := time.Now().Add(-time.Hour)
	s.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	ask := func(title, question, reply string) Turn {
		t.Helper()
		turn := begin(t, s, Question{Text: question, Title: title})
		if reply != "" {
			answer(t, s, turn, reply)
		}
		return turn
	}
	first := ask("Release notes", "what is new?", "one line\n\nA channel is closed.\nmore")
	ask("Trains", "channel tunnel", "from Calais")
	ask("Unanswered", "is the channel open?", "")
	trash := ask("Channel of old", "x", "y")
	if err := s.Delete(t.Context(), trash.Conversation); err != nil {
		t.Fatal(err)
	}
	again := begin(t, s, Question{Text: "and then?", Conversation: first.Conversation, Parent: first.ID})
	answer(t, s, again, "nothing")

	var many []string
	for i := range 1000 {
		many = append(many, "word"+strconv.Itoa(i))
	}
	for _, c := range []struct {
		text          string
		offset, limit int
		want          string
		total         int
	}{
		{"", 0, 10, "Release notes|Unanswered|Trains", 3},
		{"", 1, 1, "Unanswered", 3},
		{"", 2, 10, "Trains", 3},
		{"", 5, 10, "", 3},
		{" ?! ", 0, 10, "Release notes|Unanswered|Trains", 3}, // no words
		{"channel", 0, 10, "Release notes|Unanswered|Trains", 3},
		{"channel", 1, 1, "Unanswered", 3},
		{"channel", 7, 1, "", 3},
		{"cha", 0, 10, "Release notes|Unanswered|Trains", 3},
		{"ch", 0, 10, "", 0}, // too short for turns
		{"r", 0, 10, "Release notes", 1},
		{"NOT rel", 0, 10, "Release notes", 1},
		{"chan tun", 0, 10, "Trains", 1},
		{"channel -tunnel", 0, 10, "Release notes|Unanswered", 2},
		{`"channel is"`, 0, 10, "Release notes", 1},
		{`"channel i"`, 0, 10, "", 0},
		{"nothing like it", 0, 10, "", 0},
		{strings.Join(many, " "), 0, 10, "", 0},
		{`"*- ^ NEAR( AND OR`, 0, 10, "", 0},
	} {
		page, total, err := s.Browse(t.Context(), Filter{Profile: "work", Offset: c.offset, Limit: c.limit}, c.text)
		if got := titlesOf(page); got != c.want || total != c.total || err != nil {
			t.Errorf("%.20q from %d: %q of %d, %v, want %q of %d", c.text, c.offset, got, total, err, c.want, c.total)
		}
	}
	deleted := Filter{Profile: "work", Deleted: true, Limit: 10}
	for text, want := range map[string]string{"": "Channel of old", "cha": "Channel of old", "trains": ""} {
		if page, _, err := s.Browse(t.Context(), deleted, text); titlesOf(page) != want || err != nil {
			t.Errorf("%q in the trash: %q, %v", text, titlesOf(page), err)
		}
	}

	c, err := s.Find(t.Context(), first.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"": "nothing", "notes": "nothing", "closed": "A channel is closed.\nmore", "what new": "one line\n\nA channel is closed.\nmore"} {
		if turn, ok, err := s.NewestMatch(t.Context(), c, text); !ok || turn.Reply != want || err != nil {
			t.Errorf("the newest match of %q: %q, %v", text, turn.Reply, err)
		}
	}
}

// A conversation whose time is in the future is at the end of the list.
func TestBrowseFutureConversations(t *testing.T) {
	s := openStore(t)
	now := time.Now()
	for title, at := range map[string]time.Time{"a": now, "b": now.Add(-time.Hour), "future": now.Add(24 * time.Hour), "later": now.Add(12 * time.Hour)} {
		s.now = func() time.Time { return at }
		begin(t, s, Question{Text: "q", Title: title})
	}
	s.now = func() time.Time { return now }
	all := []string{"a", "b", "future", "later"}
	for offset := range 6 {
		for limit := 1; limit < 6; limit++ {
			page, total, err := s.Browse(t.Context(), Filter{Profile: "work", Offset: offset, Limit: limit}, "")
			want := all[min(offset, 4):min(offset+limit, 4)]
			if titlesOf(page) != strings.Join(want, "|") || total != 4 || err != nil {
				t.Errorf("%d from %d: %q of %d, %v, want %q", limit, offset, titlesOf(page), total, err, want)
			}
		}
	}
}

func titlesOf(conversations []Conversation) string {
	var titles []string
	for _, c := range conversations {
		titles = append(titles, c.Title)
	}
	return strings.Join(titles, "|")
}
