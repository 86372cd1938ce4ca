package repl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// answering answers each question with "A " and the question, and fails questions
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

// walk is a cursor with a client.
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

// ask asks a question at the cursor and returns the messages sent, joined by slashes.
func (w walk) ask(text string) string {
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

// undo moves before the last question and returns it.
func (w walk) undo() string {
	w.t.Helper()
	turn, err := w.LastTurn(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	w.Before(w.t.Context(), turn)
	return turn.Question
}

// wantSent checks the messages sent.
func (w walk) wantSent(want, got string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("sent %s, want %s", got, want)
	}
}

func TestCursorFollowsAnswers(t *testing.T) {
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
			w.wantSent("a", w.ask("a"))
			w.wantSent("a/A a/b", w.ask("b"))
			if w.Reply != "A b" {
				t.Errorf("the reply is %q", w.Reply)
			}
			if got := w.undo(); got != "b" || w.Reply != "A a" {
				t.Errorf("undid %q, with the reply %q", got, w.Reply)
			}
			w.wantSent("a/A a/c", w.ask("c"))
			if got := w.undo(); got != "c" {
				t.Errorf("undid %q", got)
			}
			if got := w.undo(); got != "a" || w.Reply != "" {
				t.Errorf("undid %q, with the reply %q", got, w.Reply)
			}
			w.wantSent("d", w.ask("d"))
			if name == "saved" != w.Saves() {
				t.Errorf("Saves is %t", w.Saves())
			}
		})
	}
}

func TestCursorStaysBeforeFailedQuestion(t *testing.T) {
	w := newWalk(t, saved(t))
	w.ask("a")
	w.wantSent("a/A a/fail", w.ask("fail"))
	if turn, err := w.LastTurn(t.Context()); err != nil || turn.Question != "fail" {
		t.Errorf("the last turn is %q, %v", turn.Question, err)
	}
	w.wantSent("a/A a/b", w.ask("b"))
	if turn, err := w.LastTurn(t.Context()); err != nil || turn.Question != "b" {
		t.Errorf("the last turn is %q, %v", turn.Question, err)
	}
}

func TestCursorMoves(t *testing.T) {
	store := saved(t)
	w := newWalk(t, store)
	w.ask("a")
	first := *w.Question.Conversation
	w.ask("b")
	w.New("other")
	w.wantSent("c", w.ask("c"))
	if title := w.Question.Conversation.Title; title != "other" {
		t.Errorf("the title is %q", title)
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
	w.wantSent("a/A a/d", w.ask("d"))
	w.ask("fail")
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

func TestCursorRefusesDeletedConversation(t *testing.T) {
	store := saved(t)
	w := newWalk(t, store)
	w.ask("a")
	id := w.Question.Conversation.ID
	if err := store.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wantRefused := func(hint string) {
		t.Helper()
		err := w.Refresh(t.Context())
		if err == nil || !strings.Contains(err.Error(), "deleted by another process") {
			t.Fatalf("Refresh returned %v", err)
		}
		if got := failure.Of(err).Hint.String(); got != hint {
			t.Errorf("got the hint %q, want %q", got, hint)
		}
	}
	wantRefused("to restore it: hobnob conversations restore " + history.Short(id) + "; /new starts another one")
	if n, err := store.Prune(t.Context(), history.Pruning{Before: time.Now().Add(time.Hour), TrashOnly: true}, id); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	wantRefused("/new starts another one")
}

func TestCursorSavesAnswersLater(t *testing.T) {
	store := saved(t)
	w := newWalk(t, store)
	answer, err := w.asker.Ask(t.Context(), chat.Question{Text: "a"})
	if err != nil {
		t.Fatal(err)
	}
	answer.SaveErr = errors.New("disk full") // it is already saved, so saving it again fails
	if err := w.Asked(t.Context(), answer, false); err != nil {
		t.Fatal(err)
	}
	reported := 0
	w.SaveUnsaved(t.Context(), func(chat.Answer, error) { reported++ })
	if reported != 1 || len(w.unsaved) != 1 {
		t.Errorf("%d reported, %d left; want 1, 1", reported, len(w.unsaved))
	}
}
