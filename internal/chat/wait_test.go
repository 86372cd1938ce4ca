package chat_test

import (
	"errors"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

func TestNoAnswerHasRecordedKind(t *testing.T) {
	for _, c := range []struct {
		state    history.State
		recorded history.Failure
		kind     failure.Kind
		exit     int
	}{
		{history.Failed, history.Failure{Kind: failure.Auth, Status: 401}, failure.Auth, 4},
		{history.Failed, history.Failure{Kind: failure.NotSent}, failure.NotSent, 5},
		{history.Failed, history.Failure{Kind: failure.Limited, Status: 429}, failure.Limited, 7},
		{history.Failed, history.Failure{Kind: failure.Refused, Status: 404}, failure.Refused, 8},
		{history.Failed, history.Failure{Kind: failure.Interrupted}, failure.NotSent, 5},
		{history.Failed, history.Failure{Kind: failure.Unrecorded}, failure.Other, 1},
		{history.Unknown, history.Failure{Kind: failure.Limited, Status: 503}, failure.Unknown, 6},
	} {
		turn := history.Turn{ID: "11111111", Conversation: "22222222", State: c.state, Failure: c.recorded}
		f := failure.Of(chat.NoAnswer(turn, "work", failure.Hint{}))
		if f.Kind != c.kind || f.Kind.Exit() != c.exit || f.Turn != turn.ID || f.Conversation != turn.Conversation || f.State != string(c.state) {
			t.Errorf("%s, %v: %+v, exit code %d; want %v, %d", c.state, c.recorded.Kind, f, f.Kind.Exit(), c.kind, c.exit)
		}
	}
	for _, state := range []history.State{history.Pending, history.Answered} {
		if err := chat.NoAnswer(history.Turn{State: state}, "", failure.Hint{}); err != nil {
			t.Errorf("%s: %v", state, err)
		}
	}
}

func TestNoAnswerHintsAtNewToken(t *testing.T) {
	turn := history.Turn{ID: "11111111", Conversation: "22222222", State: history.Failed, Failure: history.Failure{Kind: failure.Auth}}
	for _, c := range []struct {
		profile string
		renew   failure.Hint
		want    string
	}{
		{"", failure.Hint{}, "store a valid token with hobnob login, then: hobnob resend 22222222"},
		{"work", failure.Hint{}, "store a valid token with hobnob login -p work, then: hobnob resend 22222222 -p work"},
		{"", failure.Plain("unset HOBNOB_TOKEN"), "unset HOBNOB_TOKEN, then: hobnob resend 22222222"},
	} {
		err := chat.NoAnswer(turn, c.profile, c.renew)
		var failed *chat.FailedError
		if got := failure.Of(err).Hint.String(); got != c.want || !errors.As(err, &failed) {
			t.Errorf("hint %q, want %q", got, c.want)
		}
	}
}

func TestLatestIgnoresEmptyConversation(t *testing.T) {
	store, err := history.OpenUnsaved(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	now := time.Now()
	empty := func(yield func(history.Tree, error) bool) {
		yield(history.Tree{Conversation: history.Conversation{ID: "aaaaaaaa-0000-4000-8000-000000000000", Title: "t", Profile: "p", Created: now, Updated: now}}, nil)
	}
	if _, err := store.Import(t.Context(), empty, ""); err != nil {
		t.Fatal(err)
	}
	var nothing *chat.NothingPendingError
	if _, err := chat.Latest(t.Context(), store, "p"); !errors.As(err, &nothing) {
		t.Errorf("got %v, want a *NothingPendingError", err)
	}
}
