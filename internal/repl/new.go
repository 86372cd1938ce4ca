package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func runNew(ctx context.Context, s *session, title string) error {
	s.at.New(title)
	if title != "" {
		cli.NoteSameTitle(ctx, s.f, s.ask.Chat.History, title, "")
	}
	s.f.Print.Note("the next question starts a new conversation")
	return nil
}
