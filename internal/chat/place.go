package chat

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

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
