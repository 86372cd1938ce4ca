package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func runTree(ctx context.Context, s *session, _ string) error {
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	turns, err := s.ask.Chat.History.Turns(ctx, c.ID)
	if err != nil {
		return err
	}
	return view.Tree(s.f.Print, history.Tree{Conversation: c, Turns: turns})
}
