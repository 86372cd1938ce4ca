package repl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// answering answers each question with "A " and the question, and fails those
// that begin with "fail".
type answering struct{ sent api.Request }

func (a *answering) Chat(_ context.Context, r api.Request, _ string) (api.Reply, error) {
	a.sent = r
	question := r.Messages[len(r.Messages)-1].Content
	if strings.HasPrefix(question, "fail") {
		return api.Reply{}, &api.Error{Kind: failure.Refused, Op: "POST x", Status: 400}
	}
	reply := api.Reply{Text: "A " + question}
	reply.ID = "c"
	return reply, nil
}

// walk is a cursor that asks.
type walk struct {
	*Cursor
	t      *testing.T
	sender *answering
}

func newWalk(t *testing.T, store *history.Store) walk {
	t.Helper()
	sender := &answering{}
	asker := &chat.Asker{Client: sender, History: store, Profile: "p"}
	return walk{&Cursor{profile: config.Profile{Name: "p"}, asker: asker}, t, sender}
}

func saved(t *testing.T) *history.Store {
	t.Helper()
	store, err := history.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// asks asks a question at the cursor and returns what was sent, joined by slashes.
func (w walk) asks(text string) string {
	w.t.Helper()
	if err := w.Refresh(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	question := w.Question
	question.Text = text
	answer, err := w.asker.Ask(w.t.Context(), question)
	var failed *chat.FailedError
	if err != nil && !errors.As(err, &failed) {
		w.t.Fatal(err)
	}
	if err := w.Asked(w.t.Context(), answer, failed != nil); err != nil {
		w.t.Fatal(err)
	}
	var texts []string
	for _, m := range w.sender.sent.Messages {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "/")
}

func (w walk) undoes() string {
	w.t.Helper()
	turn, err := w.LastTurn(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	w.Before(w.t.Context(), turn)
	return turn.Question
}

func (w walk) sends(want, got string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("sent %s, want %s", got, want)
	}
}

func TestCursorFollowsTheAnswers(t *testing.T) {
	for name, store := range map[string]func(*testing.T) *history.Store{
		"saved": saved,
		"unsaved": func(t *testing.T) *history.Store {
			store, err := history.OpenUnsaved(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			return store
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWalk(t, store(t))
			w.sends("a", w.asks("a"))
			w.sends("a/A a/b", w.asks("b"))
			if w.Reply != "A b" {
				t.Errorf("the reply is %q", w.Reply)
			}
			if got := w.undoes(); got != "b" || w.Reply != "A a" {
				t.Errorf("took back %q, with the reply %q", got, w.Reply)
			}
			w.sends("a/A a/c", w.asks("c"))
			if got := w.undoes(); got != "c" {
				t.Errorf("took back %q", got)
			}
			if got := w.undoes(); got != "a" || w.Reply != "" {
				t.Errorf("took back %q, with the reply %q", got, w.Reply)
			}
			w.sends("d", w.asks("d"))
			if name == "saved" != w.Saves() {
				t.Errorf("Saves is %t", w.Saves())
			}
		})
	}
}

func TestCursorStaysBeforeAQuestionThatFailed(t *testing.T) {
	w := newWalk(t, saved(t))
	w.asks("a")
	w.sends("a/A a/fail", w.asks("fail"))
	if turn, err := w.LastTurn(t.Context()); err != nil || turn.Question != "fail" {
		t.Errorf("the last turn is %q, %v", turn.Question, err)
	}
	w.sends("a/A a/b", w.asks("b"))
	if turn, err := w.LastTurn(t.Context()); err != nil || turn.Question != "b" {
		t.Errorf("the last turn is %q, %v", turn.Question, err)
	}
}

func TestCursorMovesWithinAndBetweenConversations(t *testing.T) {
	store := saved(t)
	w := newWalk(t, store)
	w.asks("a")
	first := *w.Question.Conversation
	w.asks("b")
	w.New("other")
	w.sends("c", w.asks("c"))
	if title := w.Question.Conversation.Title; title != "other" {
		t.Errorf("the conversation is called %q", title)
	}
	first, err := store.Find(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if head, ok, err := w.Open(t.Context(), first); err != nil || !ok || head.Question != "b" || w.Reply != "A b" {
		t.Fatalf("opened at %q, %t, %v", head.Question, ok, err)
	}
	turns, err := store.Turns(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.At(turns[0]); err != nil || w.Reply != "A a" {
		t.Fatalf("at %q, %v", w.Reply, err)
	}
	w.sends("a/A a/d", w.asks("d"))
	w.asks("fail")
	failed, err := w.LastTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.At(failed); err == nil {
		t.Error("continued from a question without an answer")
	}
	if _, _, err := w.Open(t.Context(), history.Conversation{ID: first.ID, Profile: "elsewhere"}); err == nil {
		t.Error("opened a conversation of another profile")
	}
}

func TestCursorRefusesADeletedConversation(t *testing.T) {
	store := saved(t)
	w := newWalk(t, store)
	w.asks("a")
	if err := store.Delete(t.Context(), w.Question.Conversation.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "deleted meanwhile") {
		t.Errorf("refreshed with %v", err)
	}
}

func TestCursorSavesAnswersLater(t *testing.T) {
	store := saved(t)
	w := newWalk(t, store)
	answer, err := w.asker.Ask(t.Context(), chat.Question{Text: "a"})
	if err != nil {
		t.Fatal(err)
	}
	answer.SaveErr = errors.New("disk full") // an answer that is recorded is refused a second time
	if err := w.Asked(t.Context(), answer, false); err != nil {
		t.Fatal(err)
	}
	reported := 0
	w.SaveUnsaved(t.Context(), func(chat.Answer, error) { reported++ })
	if reported != 1 || len(w.unsaved) != 1 {
		t.Errorf("%d reported, %d left; want the answer to stay", reported, len(w.unsaved))
	}
}

func TestSlashCommandsAreFound(t *testing.T) {
	for _, c := range commands() {
		found, err := find(strings.ToUpper(c.name))
		if err != nil || found.name != c.name || c.help == "" || c.run == nil {
			t.Errorf("/%s: %v", c.name, err)
		}
	}
	for text, want := range map[string]string{
		"/help":            "help ",
		"/open two words ": "open two words",
		"/edit a\nb":       "edit a\nb",
	} {
		if name, argument, ok := parse(text); !ok || name+" "+argument != want {
			t.Errorf("%q is %q with %q, %t", text, name, argument, ok)
		}
	}
	for _, text := range []string{"//help", "help", "/usr/bin\nis a path", " /help"} {
		if name, _, ok := parse(text); ok {
			t.Errorf("%q is the command %q", text, name)
		}
	}
	for typed, want := range map[string]string{"he": "/help", "hlep": "/help", "xyz": "/help lists the commands"} {
		if _, err := find(typed); err == nil || !strings.Contains(hintOf(err), want) {
			t.Errorf("/%s: hint %q, want %s", typed, hintOf(err), want)
		}
	}
}

func hintOf(err error) string { return failure.Of(err).Hint.String() }
