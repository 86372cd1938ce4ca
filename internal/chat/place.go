package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Selection names the conversation that a question continues, and the place in it.
// The zero Selection begins a new conversation.
type Selection struct {
	Latest       bool   // the latest conversation of the profile
	Conversation string // an id, its beginning, or a title
	At           string // below this turn
	Edit         string // as a sibling of this turn, whose question is edited
	Again        bool   // as a sibling of the last turn, whose question is asked again
	// Profile is the one that asks. A conversation of another one is refused
	// unless AnyProfile says that the user chose the profile for it.
	Profile    string
	AnyProfile bool
}

// Place is where a question is asked.
type Place struct {
	Conversation *history.Conversation // nil begins a new one
	Parent       *string               // nil is below the head
	Text         string                // the question to ask again or to edit
}

// IsNew reports whether nothing is continued.
func (s Selection) IsNew() bool {
	return !s.Latest && s.Conversation == "" && s.At == "" && s.Edit == "" && !s.Again
}

// Find returns the place that is named.
func (s Selection) Find(ctx context.Context, store *history.Store) (Place, error) {
	if s.IsNew() {
		return Place{}, nil
	}
	c, err := s.conversation(ctx, store)
	if err != nil {
		return Place{}, err
	}
	if c.Profile != s.Profile && !s.AnyProfile {
		return Place{}, failure.Usagef(fmt.Sprintf("continue it there with -p %s, or send it here with -p %s", c.Profile, s.Profile),
			"conversation %s belongs to the profile %q, not to %q", history.Short(c.ID), c.Profile, s.Profile)
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
	case s.Edit != "":
		turn, err = store.FindTurn(ctx, c.ID, s.Edit)
	case s.Again:
		turn, err = LastQuestion(ctx, store, c)
	default:
		return place, nil
	}
	place.Parent, place.Text = &turn.Parent, turn.Question
	return place, err
}

func (s Selection) conversation(ctx context.Context, store *history.Store) (history.Conversation, error) {
	switch turn := cmp.Or(s.At, s.Edit); {
	case s.Conversation != "":
		return store.Find(ctx, s.Conversation)
	case turn != "" && !s.Latest:
		t, err := store.FindTurn(ctx, "", turn)
		if err != nil {
			return history.Conversation{}, err
		}
		return store.Find(ctx, t.Conversation)
	}
	found, err := store.Latest(ctx, s.Profile)
	if errors.As(err, new(*history.NotFoundError)) {
		err = failure.WithHint(err, "%s; ask without -c", failure.Of(err).Hint)
	}
	return found, err
}

// Continuable returns an error for a turn that no question can follow: only an
// answered one can be continued.
func Continuable(turn history.Turn) error {
	if turn.State == history.Answered {
		return nil
	}
	return failure.WithHint(failure.Usagef("", "turn %s is %s; only an answered turn can be continued", history.Short(turn.ID), turn.State),
		"ask it again with: %s", failure.Run("hobnob resend %s", history.Short(turn.Conversation)))
}

// LastQuestion returns the turn whose question is asked again by default: the
// last one without an answer, else the head of the conversation.
func LastQuestion(ctx context.Context, store *history.Store, c history.Conversation) (history.Turn, error) {
	turn, ok, err := store.LastUnanswered(ctx, c)
	if err != nil || ok {
		return turn, err
	}
	if c.Head == "" {
		return turn, failure.Usagef("wait for its answer", "the only question of this conversation is still in flight")
	}
	return store.FindTurn(ctx, c.ID, c.Head)
}
