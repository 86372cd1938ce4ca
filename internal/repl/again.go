package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func runAgain(ctx context.Context, s *session, _ string) error {
	if !s.at.Saves() && s.at.Question.Conversation == nil {
		return failure.Usagef("ask a question first", "no question to ask again")
	}
	turn, err := s.at.LastTurn(ctx)
	if err != nil {
		return err
	}
	return s.again(ctx, &turn.Parent, turn.Question)
}
