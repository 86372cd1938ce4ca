package history

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestTokens(t *testing.T) {
	s := openStore(t)
	clock := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return clock }
	ask := func(q Question, model string, prompt, completion int64) Turn {
		t.Helper()
		turn := begin(t, s, q)
		if _, err := s.Answer(t.Context(), turn, "r", Service{Model: model, Usage: &Usage{prompt, completion, prompt + completion}}); err != nil {
			t.Fatal(err)
		}
		return turn
	}
	first := ask(Question{Text: "q", Title: "one", AgentID: "a"}, "m", 1, 2)
	clock = clock.Add(3 * time.Hour) // the next day in UTC, the same in New York
	ask(Question{Conversation: first.Conversation, Parent: first.ID, Text: "q", AgentID: "a"}, "m", 10, 20)
	ask(Question{Text: "q", Title: "two", AgentID: "b"}, "n", 100, 200)
	ask(Question{Text: "q", Title: "elsewhere", Profile: "other"}, "m", 5, 5)
	begin(t, s, Question{Text: "unanswered"})

	newYork := time.FixedZone("New York", -5*3600)
	for name, tc := range map[string]struct {
		by       Grouping
		since    time.Time
		location *time.Location
		want     string
	}{
		"day":          {ByDay, time.Time{}, time.UTC, "2026-03-01 1 1+2=3, 2026-03-02 2 110+220=330"},
		"day in zone":  {ByDay, time.Time{}, newYork, "2026-03-01 3 111+222=333"},
		"agent":        {ByAgent, time.Time{}, time.UTC, "b 1 100+200=300, a 2 11+22=33"},
		"model":        {ByModel, time.Time{}, time.UTC, "n 1 100+200=300, m 2 11+22=33"},
		"conversation": {ByConversation, time.Time{}, time.UTC, "two 1 100+200=300, one 2 11+22=33"},
		"since":        {ByAgent, clock.Add(-time.Hour), time.UTC, "b 1 100+200=300, a 1 10+20=30"},
	} {
		rows, err := s.Tokens(t.Context(), "work", tc.by, tc.since, tc.location)
		var got []string
		for _, r := range rows {
			key := r.Key
			if r.Title != "" {
				key = r.Title
			}
			got = append(got, fmt.Sprintf("%s %d %d+%d=%d", key, r.Turns, r.PromptTokens, r.CompletionTokens, r.TotalTokens))
		}
		if err != nil || strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: %q, %v, want %q", name, strings.Join(got, ", "), err, tc.want)
		}
	}
	if _, err := s.Tokens(t.Context(), "work", "week", time.Time{}, time.UTC); err == nil {
		t.Error("unknown grouping: no error")
	}
}

func TestInvalidTokenCountsAreIgnored(t *testing.T) {
	s := openStore(t)
	const agent = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e02"
	for range 3 {
		turn := begin(t, s, Question{Text: "q", Title: "c", AgentID: agent})
		if _, err := s.Answer(t.Context(), turn, "reply", Service{Model: "m", Usage: &Usage{1, 2, 3}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.db.Exec(`UPDATE turns SET prompt_tokens = 9223372036854775807, completion_tokens = 9223372036854775807, total_tokens = 9223372036854775807
		WHERE seq > (SELECT min(seq) FROM turns)`); err != nil {
		t.Fatal(err)
	}
	for _, by := range []Grouping{ByDay, ByAgent, ByModel, ByConversation} {
		rows, err := s.Tokens(t.Context(), "work", by, time.Time{}, time.UTC)
		var sum Usage
		for _, r := range rows {
			sum.PromptTokens, sum.CompletionTokens, sum.TotalTokens = sum.PromptTokens+r.PromptTokens, sum.CompletionTokens+r.CompletionTokens, sum.TotalTokens+r.TotalTokens
		}
		if err != nil || (sum != Usage{1, 2, 3}) {
			t.Errorf("by %s: %+v, %v", by, sum, err)
		}
	}
	if bytes, tokens, err := s.ReplySizes(t.Context(), "work", agent); err != nil || bytes != 5 || tokens != 2 {
		t.Errorf("%d bytes, %d tokens, %v", bytes, tokens, err)
	}
	all, err := s.All(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if _, err := openStore(t).Import(t.Context(), s.Trees(t.Context(), c.ID), ""); err != nil {
			t.Errorf("import of an export: %v", err)
		}
	}
}

func TestReplySizesOfProfile(t *testing.T) {
	s := openStore(t)
	for _, profile := range []string{"work", "home", "work"} {
		turn := begin(t, s, Question{Profile: profile, AgentID: "a", Text: "q"})
		if _, err := s.Answer(t.Context(), turn, "reply", Service{Usage: &Usage{CompletionTokens: 2, TotalTokens: 3}}); err != nil {
			t.Fatal(err)
		}
	}
	for profile, want := range map[string][2]int64{"work": {10, 4}, "home": {5, 2}, "none": {}} {
		if bytes, tokens, err := s.ReplySizes(t.Context(), profile, "a"); err != nil || [2]int64{bytes, tokens} != want {
			t.Errorf("%s: %d bytes, %d tokens, %v, want %d", profile, bytes, tokens, err, want)
		}
	}
}
