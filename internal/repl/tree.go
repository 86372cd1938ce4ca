package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/view"
)

func treeCommand() command {
	return command{name: "tree", help: "draw the branches of the conversation", run: runTree}
}

func runTree(s *session, ctx context.Context, _ string) error {
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	turns, err := s.ask.Chat.History.Turns(ctx, c.ID)
	if err != nil {
		return err
	}
	return view.Tree(s.print, c, turns)
}
