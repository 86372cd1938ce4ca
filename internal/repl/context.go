package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func runContext(ctx context.Context, s *session, _ string) error {
	considered, err := s.ask.Chat.Consider(ctx, s.at.Question)
	if err != nil {
		return err
	}
	var unanswered history.Turn
	if c := s.at.Question.Conversation; c != nil && s.at.Saves() {
		now, err := s.at.Conversation(ctx)
		if err != nil {
			return err
		}
		if unanswered, _, err = s.ask.Chat.History.LastUnanswered(ctx, now); err != nil {
			return err
		}
	}
	return view.Context(s.f.Print, "", considered, unanswered)
}
