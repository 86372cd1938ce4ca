package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/history"
)

func runTitle(ctx context.Context, s *session, title string) error {
	if s.at.Question.Conversation == nil {
		s.at.Question.Title = title
		s.f.Print.Note("the next question begins a conversation called %q", title)
		return nil
	}
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	if err := s.ask.Chat.History.Rename(ctx, c.ID, title); err != nil {
		return err
	}
	c.Title = title
	s.at.Question.Conversation = &c
	return s.f.Print.Done("%s is now called %q", history.Short(c.ID), title)
}
