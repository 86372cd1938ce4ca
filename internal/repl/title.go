package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
)

func runTitle(ctx context.Context, s *session, title string) error {
	if s.at.Question.Conversation == nil {
		cli.NoteSameTitle(ctx, s.f, s.ask.Chat.History, title, "")
		s.at.Question.Title = title
		s.f.Print.Note("the next question starts a conversation titled %q", title)
		return nil
	}
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	if err := s.ask.Chat.History.Rename(ctx, c.ID, title); err != nil {
		return err
	}
	cli.NoteSameTitle(ctx, s.f, s.ask.Chat.History, title, c.ID)
	c.Title = title
	s.at.Question.Conversation = &c
	return s.f.Print.Done("renamed %s to %q", history.Short(c.ID), title)
}
