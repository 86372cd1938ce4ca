package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// sender is a Sender that calls a function of the test.
type sender func(ctx context.Context, request api.Request, id string) (api.Reply, error)

func (s sender) Chat(ctx context.Context, request api.Request, id string) (api.Reply, error) {
	return s(ctx, request, id)
}

func replying(text string) sender {
	return func(context.Context, api.Request, string) (api.Reply, error) { return reply(text), nil }
}

func reply(text string) api.Reply {
	return api.Reply{
		Completion: api.Completion{ID: "completion", ConversationID: "service", Created: json.Number("1.5"), Usage: &api.Usage{PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3}},
		Text:       text, FinishReason: "stop", Raw: []byte(`{}`),
	}
}

func newAsker(t *testing.T, client chat.Sender) chat.Asker {
	t.Helper()
	store, err := history.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return chat.Asker{Client: client, History: store, Profile: "work", Lifetime: time.Minute}
}

func lastTurn(t *testing.T, a chat.Asker, conversation string) history.Turn {
	t.Helper()
	turns, err := a.History.Turns(t.Context(), conversation)
	if err != nil || len(turns) == 0 {
		t.Fatalf("no turns: %v", err)
	}
	return turns[len(turns)-1]
}

func TestQuestionIsCommittedBeforeSending(t *testing.T) {
	var asker chat.Asker
	var during history.Turn
	asker = newAsker(t, sender(func(ctx context.Context, _ api.Request, id string) (api.Reply, error) {
		found, err := asker.History.List(ctx, history.Filter{Profile: "work", Limit: 1})
		if err != nil || len(found) != 1 {
			t.Errorf("conversations during the request: %v, %v; want one", found, err)
			return reply("x"), nil
		}
		during = lastTurn(t, asker, found[0].ID)
		if during.ID != id {
			t.Errorf("request has id %s, want that of the turn, %s", id, during.ID)
		}
		return reply("the answer"), nil
	}))
	answer, err := asker.Ask(t.Context(), chat.Question{Text: "why?"})
	if err != nil || answer.SaveErr != nil {
		t.Fatal(err, answer.SaveErr)
	}
	if during.State != history.Pending || during.Question != "why?" {
		t.Errorf("turn during the request: %+v", during)
	}
	if after := lastTurn(t, asker, answer.Conversation); after.State != history.Answered || after.Reply != "the answer" || after.Service.Usage.TotalTokens != 3 {
		t.Errorf("turn after the request: %+v", after)
	}
}

func TestContextLimits(t *testing.T) {
	asker := newAsker(t, replying("four"))
	answer, err := asker.Ask(t.Context(), chat.Question{Text: "1111"})
	if err != nil {
		t.Fatal(err)
	}
	find := func() *history.Conversation {
		c, err := asker.History.Find(t.Context(), answer.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		return &c
	}
	for _, text := range []string{"2222", "3333"} {
		if _, err := asker.Ask(t.Context(), chat.Question{Text: text, Conversation: find()}); err != nil {
			t.Fatal(err)
		}
	}
	asker.Client = sender(func(context.Context, api.Request, string) (api.Reply, error) {
		return api.Reply{}, &api.Error{Kind: failure.NotSent}
	})
	_, _ = asker.Ask(t.Context(), chat.Question{Text: "unanswered", Conversation: find()})

	for _, tc := range []struct {
		limits chat.Limits
		want   string
		left   int
	}{
		{chat.Limits{}, "1111 four 2222 four 3333 four now", 0},
		{chat.Limits{None: true}, "now", 0},
		{chat.Limits{Turns: 1}, "3333 four now", 2},
		{chat.Limits{Turns: 9}, "1111 four 2222 four 3333 four now", 0},
		{chat.Limits{Tokens: 4}, "2222 four 3333 four now", 1},
		{chat.Limits{Tokens: 1}, "now", 3},
	} {
		plan, err := asker.Plan(t.Context(), chat.Question{Text: "now", Conversation: find(), Context: tc.limits})
		var got []string
		for i, m := range plan.Request.Messages {
			got = append(got, m.Content)
			if want := []string{"user", "assistant"}[i%2]; m.Role != want {
				t.Errorf("message %d has role %s, want %s", i, m.Role, want)
			}
		}
		if err != nil || strings.Join(got, " ") != tc.want || plan.Left != tc.left {
			t.Errorf("%+v: sends %q, omits %d, %v; want %q and %d", tc.limits, strings.Join(got, " "), plan.Left, err, tc.want, tc.left)
		}
	}
}

func TestStateAfterFailure(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want history.State
	}{
		"not sent":                 {&api.Error{Kind: failure.NotSent}, history.Failed},
		"refused":                  {&api.Error{Kind: failure.Refused, Status: 400}, history.Failed},
		"timeout":                  {&api.Error{Kind: failure.Unknown, MaybeAccepted: true}, history.Unknown},
		"broken reply":             {&api.Error{Kind: failure.Broken, MaybeAccepted: true, Body: []byte("half")}, history.Unknown},
		"no token":                 {errors.New("no token"), history.Failed},
		"cancelled before sending": {&api.Error{Kind: failure.Interrupted}, history.Failed},
		"cancelled after sending":  {&api.Error{Kind: failure.Interrupted, MaybeAccepted: true}, history.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			asker := newAsker(t, sender(func(context.Context, api.Request, string) (api.Reply, error) {
				cancel() // must not keep the state from being recorded
				return api.Reply{}, tc.err
			}))
			_, err := asker.Ask(ctx, chat.Question{Text: "q"})
			var failed *chat.FailedError
			if !errors.As(err, &failed) || failed.State != tc.want || failed.RecordErr != nil {
				t.Fatalf("got %#v, want state %s", err, tc.want)
			}
			turn := lastTurn(t, asker, failed.Conversation)
			var e *api.Error
			if errors.As(tc.err, &e) && string(turn.Service.Response) != string(e.Body) {
				t.Errorf("saved body %q, want %q", turn.Service.Response, e.Body)
			}
			if turn.State != tc.want || turn.Question != "q" {
				t.Errorf("turn %+v, want state %s", turn, tc.want)
			}
		})
	}
}

func TestAnswerIsRecordedAfterCtrlC(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asker := newAsker(t, sender(func(context.Context, api.Request, string) (api.Reply, error) { cancel(); return reply("late"), nil }))
	answer, err := asker.Ask(ctx, chat.Question{Text: "q"})
	if err != nil || answer.SaveErr != nil || lastTurn(t, asker, answer.Conversation).Reply != "late" {
		t.Errorf("errors %v, %v", err, answer.SaveErr)
	}
}

func TestUnsavableAnswerIsReturned(t *testing.T) {
	var asker chat.Asker
	asker = newAsker(t, sender(func(context.Context, api.Request, string) (api.Reply, error) {
		_ = asker.History.Close()
		return reply("unsaved"), nil
	}))
	answer, err := asker.Ask(t.Context(), chat.Question{Text: "q"})
	if err != nil || answer.SaveErr == nil || answer.Reply.Text != "unsaved" {
		t.Errorf("reply %q, error %v, save error %v", answer.Reply.Text, err, answer.SaveErr)
	}
}

func TestImplausibleServiceDataIsNotSaved(t *testing.T) {
	for _, usage := range []api.Usage{{TotalTokens: -1}, {CompletionTokens: math.MaxInt64, TotalTokens: math.MaxInt64}, {PromptTokens: 1 << 41}} {
		asker := newAsker(t, sender(func(context.Context, api.Request, string) (api.Reply, error) {
			out := reply("x")
			out.Usage, out.Model = &usage, strings.Repeat("m", 1<<20)
			return out, nil
		}))
		answer, err := asker.Ask(t.Context(), chat.Question{Text: "q"})
		if err != nil || answer.SaveErr != nil {
			t.Fatal(err, answer.SaveErr)
		}
		if turn := lastTurn(t, asker, answer.Conversation); turn.Service.Usage != nil || len(turn.Service.Model) > 1<<16 || turn.Reply != "x" {
			t.Errorf("%+v was saved as %+v, the model in %d bytes", usage, turn.Service.Usage, len(turn.Service.Model))
		}
		c, err := asker.History.Find(t.Context(), answer.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := asker.Plan(t.Context(), chat.Question{Text: "next", Conversation: &c}); err != nil {
			t.Errorf("next question: %v", err)
		}
	}
}

func TestUnsavableQuestionIsNotSent(t *testing.T) {
	asker := newAsker(t, sender(func(context.Context, api.Request, string) (api.Reply, error) {
		t.Error("the question was sent")
		return reply("x"), nil
	}))
	_ = asker.History.Close()
	var journal *chat.JournalError
	if _, err := asker.Ask(t.Context(), chat.Question{Text: "q"}); !errors.As(err, &journal) {
		t.Errorf("got %v, want a *JournalError", err)
	}
}

func TestUnsavedConversationHasSavedContext(t *testing.T) {
	ctx := t.Context()
	var sent api.Request
	asker := newAsker(t, sender(func(_ context.Context, r api.Request, _ string) (api.Reply, error) {
		sent = r
		return reply("A " + r.Messages[len(r.Messages)-1].Content), nil
	}))
	saved := asker.History
	first, err := asker.Ask(ctx, chat.Question{Text: "a"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := saved.Find(ctx, first.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := history.OpenUnsaved(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = memory.Close() }()
	question, err := asker.Unsaved(ctx, chat.Question{Text: "b", Conversation: &c}, memory)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"b", "c"} {
		question.Text = text
		answer, err := asker.Ask(ctx, question)
		if err != nil || answer.Saved || answer.SaveErr != nil {
			t.Fatalf("%+v, %v", answer, err)
		}
		now, err := memory.Find(ctx, answer.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		question.Conversation = &now
	}
	var texts []string
	for _, m := range sent.Messages {
		texts = append(texts, m.Content)
	}
	if got, want := strings.Join(texts, ", "), "a, A a, b, A b, c"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if turns, err := saved.Turns(ctx, c.ID); err != nil || len(turns) != 1 {
		t.Errorf("%d turns were saved, %v; want only the first", len(turns), err)
	}
}
