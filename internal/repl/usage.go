package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/view"
)

func usageCommand() command {
	return command{
		name: "usage", argument: "[on|off]", help: "say what the conversation cost in tokens", more: "With on or off: say it after each answer.",
		run: runUsage, complete: completeSwitch,
	}
}

func runUsage(s *session, ctx context.Context, typed string) error {
	if typed != "" {
		return s.setSwitch(&s.ask.Usage, typed, "tokens are shown after each answer")
	}
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	turns, err := s.ask.Chat.History.Turns(ctx, c.ID)
	if err != nil {
		return err
	}
	return view.AnswersUsage(s.print, turns)
}
