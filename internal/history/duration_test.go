package history

import (
	"fmt"
	"testing"
	"time"
)

func TestUsualIsMedianOfLatestAnswers(t *testing.T) {
	const ms = time.Millisecond
	for name, tc := range map[string]struct {
		took []time.Duration // of agent a in the profile work
		want time.Duration
		ok   bool
	}{
		"no answers":           {nil, 0, false},
		"two answers":          {[]time.Duration{time.Second, time.Second}, 0, false},
		"three answers":        {[]time.Duration{9 * time.Second, 100 * ms, 2 * time.Second}, 2 * time.Second, true},
		"lower median":         {[]time.Duration{4 * time.Second, 1 * time.Second, 3 * time.Second, 2 * time.Second}, 2 * time.Second, true},
		"outlier":              {[]time.Duration{time.Second, 50 * time.Second, time.Second}, time.Second, true},
		"latest 20 only":       {append(durationsOf(30, 9*time.Second), durationsOf(20, time.Second)...), time.Second, true},
		"zero time is ignored": {[]time.Duration{0, 0, 0, 0}, 0, false},
	} {
		for _, tokens := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, tokens %v", name, tokens), func(t *testing.T) {
				s := openStore(t)
				clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
				s.now = func() time.Time { return clock }
				ask := func(agent, profile string, took time.Duration) {
					t.Helper()
					clock = clock.Add(time.Hour)
					turn := begin(t, s, Question{Text: "q", AgentID: agent, Profile: profile})
					clock = clock.Add(took)
					service := Service{}
					if tokens {
						service.Usage = &Usage{CompletionTokens: 1}
					}
					if _, err := s.Answer(t.Context(), turn, "r", service); err != nil {
						t.Fatal(err)
					}
				}
				for _, took := range tc.took {
					ask("a", "work", took)
					ask("b", "work", 40*time.Second)
					ask("a", "home", 50*time.Second)
				}
				failed := begin(t, s, Question{Text: "q", AgentID: "a"})
				clock = clock.Add(30 * time.Second)
				if _, err := s.Fail(t.Context(), failed, Unknown, Failure{Text: "timeout"}, nil); err != nil {
					t.Fatal(err)
				}
				got, ok, err := s.Usual(t.Context(), "work", "a")
				if err != nil || got != tc.want || ok != tc.ok {
					t.Errorf("got %v, %v, %v, want %v, %v", got, ok, err, tc.want, tc.ok)
				}
			})
		}
	}
}

func durationsOf(n int, d time.Duration) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = d
	}
	return out
}

func TestUsualIgnoresImportedTurns(t *testing.T) {
	from, to := openStore(t), openStore(t)
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	from.now = func() time.Time { return clock }
	var ids []string
	for range 5 {
		turn := begin(t, from, Question{Text: "q", AgentID: echoAgent})
		clock = clock.Add(time.Second)
		answer(t, from, turn, "r")
		ids = append(ids, turn.Conversation)
	}
	if _, ok, err := from.Usual(t.Context(), "work", echoAgent); !ok || err != nil {
		t.Fatalf("no usual time in the original: %v", err)
	}
	if done, err := to.Import(t.Context(), from.Trees(t.Context(), ids...), ""); err != nil || done.Conversations != len(ids) {
		t.Fatal(done, err)
	}
	if got, ok, err := to.Usual(t.Context(), "work", echoAgent); ok || err != nil {
		t.Errorf("got %v, %v, want no usual time", got, err)
	}
}

func TestPending(t *testing.T) {
	s := openStore(t)
	clock := time.Now()
	s.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	answered := begin(t, s, Question{Text: "answered"})
	answer(t, s, answered, "r")
	begin(t, s, Question{Text: "one", Lifetime: time.Hour})
	begin(t, s, Question{Text: "two", Lifetime: time.Hour})
	begin(t, s, Question{Text: "elsewhere", Profile: "home", Lifetime: time.Hour})
	begin(t, s, Question{Text: "expired", Lifetime: time.Millisecond})
	pending, err := s.Pending(t.Context(), "work")
	if got := questions(pending); err != nil || got != "two one" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestBranchOfEqualsResultOfAnswer(t *testing.T) {
	s := openStore(t)
	clock := time.Now()
	s.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	root := begin(t, s, Question{Text: "root"})
	answer(t, s, root, "r")
	below := Question{Conversation: root.Conversation, Parent: root.ID}
	ask := func(text string) Turn {
		q := below
		q.Text = text
		return begin(t, s, q)
	}
	first, second := ask("first"), ask("second")
	answer(t, s, first, "r")
	want := answer(t, s, second, "r")
	again := ask("again")
	wantAgain := answer(t, s, again, "r")
	for turn, want := range map[string]Branch{second.ID: want, again.ID: wantAgain} {
		found, err := s.FindTurn(t.Context(), "", turn)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.BranchOf(t.Context(), found)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", found.Question, got, err, want)
		}
	}
}
