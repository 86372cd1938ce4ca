package chat_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// conversation asks questions one after the other and returns their conversation.
func conversation(t *testing.T, a chat.Asker, questions ...string) *history.Conversation {
	t.Helper()
	var c *history.Conversation
	for _, text := range questions {
		answer, err := a.Ask(t.Context(), chat.Question{Text: text, Conversation: c})
		if err != nil || answer.SaveErr != nil {
			t.Fatal(err, answer.SaveErr)
		}
		found, err := a.History.Find(t.Context(), answer.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		c = &found
	}
	return c
}

func echo(_ context.Context, r api.Request, _ string) (api.Reply, error) {
	return reply(r.Messages[len(r.Messages)-1].Content), nil
}

// sent returns the questions that the next request would contain.
func sent(t *testing.T, a chat.Asker, q chat.Question) string {
	t.Helper()
	q.Text = "now"
	plan, err := a.Plan(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, m := range plan.Request.Messages {
		if i%2 == 0 {
			out = append(out, m.Content)
		}
	}
	return strings.Join(out, " ")
}

func TestPinnedAndSkippedTurns(t *testing.T) {
	a := newAsker(t, sender(echo))
	c := conversation(t, a, "aaaa", "bbbb", "cccc", "dddd")
	turns, err := a.History.Turns(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	mark := func(i int, m history.Mark) {
		if err := a.History.SetMarks(t.Context(), turns[i].Conversation, map[history.Mark][]string{m: {turns[i].ID}}); err != nil {
			t.Fatal(err)
		}
	}
	mark(0, history.Pinned)
	mark(2, history.Skipped)
	for name, tc := range map[string]struct {
		limits chat.Limits
		want   string
	}{
		"no limits":             {chat.Limits{}, "aaaa bbbb dddd now"},
		"two turns, one pinned": {chat.Limits{Turns: 2}, "aaaa dddd now"},
		"pinned turns at limit": {chat.Limits{Turns: 1}, "aaaa now"},
		"tokens for two turns":  {chat.Limits{Tokens: 4}, "aaaa dddd now"},
		"no context":            {chat.Limits{None: true}, "now"},
	} {
		if got := sent(t, a, chat.Question{Conversation: c, Context: tc.limits}); got != tc.want {
			t.Errorf("%s: sends %q, want %q", name, got, tc.want)
		}
	}
	if all, _ := a.History.Turns(t.Context(), c.ID); len(all) != 4 {
		t.Errorf("%d turns in the history, want 4", len(all))
	}
}

func TestQuestionAfterEarlierTurn(t *testing.T) {
	a := newAsker(t, sender(echo))
	c := conversation(t, a, "one", "two", "three")
	turns, _ := a.History.Turns(t.Context(), c.ID)
	root := ""
	if got := sent(t, a, chat.Question{Conversation: c, Parent: &turns[0].ID}); got != "one now" {
		t.Errorf("after the first turn: sends %q", got)
	}
	if got := sent(t, a, chat.Question{Conversation: c, Parent: &root}); got != "now" {
		t.Errorf("at the root: sends %q", got)
	}
	answer, err := a.Ask(t.Context(), chat.Question{Text: "sibling", Conversation: c, Parent: &turns[0].ID})
	if err != nil || answer.Parent != turns[0].ID || answer.Branch.Answered {
		t.Errorf("answer %+v, %v", answer, err)
	}
	found, _ := a.History.Find(t.Context(), c.ID)
	if found.Head != answer.Turn || found.Turns != 4 {
		t.Errorf("conversation %+v, want 4 turns and the new head %s", found, answer.Turn)
	}
}

func TestResendUsesSameTurn(t *testing.T) {
	a := newAsker(t, sender(echo))
	c := conversation(t, a, "one")
	a.Client = sender(func(context.Context, api.Request, string) (api.Reply, error) {
		return api.Reply{}, &api.Error{Kind: failure.Unknown, MaybeAccepted: true}
	})
	_, _ = a.Ask(t.Context(), chat.Question{Text: "lost", Conversation: c})
	open, err := a.History.Unanswered(t.Context(), "work", c.ID)
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	a.Client = sender(func(context.Context, api.Request, string) (api.Reply, error) {
		return api.Reply{}, &api.Error{Kind: failure.NotSent}
	})
	var failed *chat.FailedError
	if _, err := a.Resend(t.Context(), open[0], chat.Limits{}); !errors.As(err, &failed) || failed.State != history.Unknown || failed.RecordErr != nil {
		t.Errorf("got %+v, want an unknown outcome", err)
	}
	var request api.Request
	a.Client = sender(func(ctx context.Context, r api.Request, id string) (api.Reply, error) {
		request = r
		if id != open[0].ID {
			t.Errorf("request has id %s, want %s", id, open[0].ID)
		}
		return echo(ctx, r, id)
	})
	answer, err := a.Resend(t.Context(), open[0], chat.Limits{})
	if err != nil || answer.Turn != open[0].ID || len(request.Messages) != 3 {
		t.Fatalf("%+v, %v, %+v", answer, err, request)
	}
	if turn := lastTurn(t, a, c.ID); turn.State != history.Answered || turn.Reply != "lost" {
		t.Errorf("turn %+v", turn)
	}
}

func TestBytesPerTokenFollowsReportedUsage(t *testing.T) {
	a := newAsker(t, sender(func(_ context.Context, r api.Request, _ string) (api.Reply, error) {
		out := reply(strings.Repeat("日本語です。", 20)) // 360 bytes
		out.Usage = &api.Usage{CompletionTokens: 120}
		return out, nil
	}))
	if got, err := a.BytesPerToken(t.Context(), ""); err != nil || got != 4 {
		t.Errorf("without replies: %v, %v; want 4", got, err)
	}
	c := conversation(t, a, "q")
	if got, err := a.BytesPerToken(t.Context(), ""); err != nil || got != 3 {
		t.Errorf("after a reply of 360 bytes and 120 tokens: %v, %v; want 3", got, err)
	}
	considered, err := a.Consider(t.Context(), chat.Question{Conversation: c})
	if err != nil || len(considered.Turns) != 1 || considered.Turns[0].Tokens != 121 {
		t.Errorf("considered %+v, %v; want one turn of 121 tokens", considered, err)
	}
	if got, _ := a.BytesPerToken(t.Context(), "another"); got != 4 {
		t.Errorf("another agent: %v, want 4", got)
	}
}
