package chat

import (
	"cmp"
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Selection selects the conversation that a question continues, and the place in it.
// The zero Selection starts a new conversation.
type Selection struct {
	Latest       bool   // the latest conversation of the profile; with Again, the last used
	Conversation string // an id, a prefix of one, or a title
	At           string // the turn that the question follows
	EditTurn     string // the turn to add a sibling to, with its question edited
	Again        bool   // add a sibling to the last turn, with the same question
	// Profile is the profile that asks. Conversations of other profiles are refused
	// unless AnyProfile is set, which means that the user selected Profile explicitly.
	Profile    string
	AnyProfile bool
}

// Place is a place for a question.
type Place struct {
	Conversation *history.Conversation // nil for a new one
	Parent       *string               // nil for the head
	Text         string                // the question to ask again or to edit
}

// IsNew reports whether s starts a new conversation.
func (s Selection) IsNew() bool {
	return !s.Latest && s.Conversation == "" && s.At == "" && s.EditTurn == "" && !s.Again
}

// Find returns the selected place.
func (s Selection) Find(ctx context.Context, store *history.Store) (Place, error) {
	if s.IsNew() {
		return Place{}, nil
	}
	c, err := s.conversation(ctx, store)
	if err != nil {
		return Place{}, err
	}
	if c.Profile != s.Profile && !s.AnyProfile {
		return Place{}, failure.WithHint(failure.Usagef("", "conversation %s belongs to profile %q, not %q", history.Short(c.ID), c.Profile, s.Profile),
			"continue it there with %s, or send it to this service with%s", failure.Run("hobnob chat -C %s", history.Short(c.ID)).In(c.Profile), failure.Run("").In(s.Profile))
	}
	place := Place{Conversation: &c}
	var turn history.Turn
	switch {
	case s.At != "":
		if turn, err = store.FindTurn(ctx, c.ID, s.At); err == nil {
			err = Continuable(turn)
		}
		place.Parent = &turn.ID
		return place, err
	case s.EditTurn != "":
		turn, err = store.FindTurn(ctx, c.ID, s.EditTurn)
	case s.Again:
		turn, err = LastQuestion(ctx, store, c)
	default:
		return place, nil
	}
	place.Parent, place.Text = &turn.Parent, turn.Question
	return place, err
}

func (s Selection) conversation(ctx context.Context, store *history.Store) (history.Conversation, error) {
	switch turn := cmp.Or(s.At, s.EditTurn); {
	case s.Conversation != "":
		return store.Find(ctx, s.Conversation)
	case turn != "" && !s.Latest:
		t, err := store.FindTurn(ctx, "", turn)
		if err != nil {
			return history.Conversation{}, err
		}
		return store.Find(ctx, t.Conversation)
	}
	latest := store.Latest
	if s.Again { // Latest ignores conversations without an answer
		latest = store.LastUsed
	}
	found, err := latest(ctx, s.Profile)
	var missing *history.NotFoundError
	if errors.As(err, &missing) {
		flag := "-c"
		if s.Again {
			flag = "--again"
		}
		if len(missing.Elsewhere) == 0 {
			return found, failure.WithHint(err, "ask without %s", flag)
		}
		err = failure.WithHint(err, "%s; ask without %s", failure.Of(err).Hint, flag)
	}
	return found, err
}

// Continuable returns an error if turn is not answered, because no question can follow
// it then.
func Continuable(turn history.Turn) error {
	if turn.State == history.Answered {
		return nil
	}
	return failure.WithHint(failure.Usagef("", "cannot continue from turn %s: it has no answer (%s)", history.Short(turn.ID), turn.State),
		"to retry: %s", failure.Run("hobnob resend %s", history.Short(turn.Conversation)))
}

// LastQuestion returns the turn whose question is asked again by default: the last
// unanswered turn, otherwise the head of the conversation.
func LastQuestion(ctx context.Context, store *history.Store, c history.Conversation) (history.Turn, error) {
	turn, ok, err := store.LastUnanswered(ctx, c)
	if err != nil || ok {
		return turn, err
	}
	if c.Head == "" {
		return turn, failure.Usagef("wait for its answer", "the only question of this conversation is still pending")
	}
	return store.FindTurn(ctx, c.ID, c.Head)
}
