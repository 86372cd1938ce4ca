package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/view"
)

func runUsage(ctx context.Context, s *session, typed string) error {
	if typed != "" {
		return s.setSwitch(&s.ask.Usage, typed, "token usage after each answer")
	}
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	turns, err := s.ask.Chat.History.Turns(ctx, c.ID)
	if err != nil {
		return err
	}
	return view.AnswersUsage(s.f.Print, turns)
}
