package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
)

func atCommand() command {
	return command{
		name: "at", argument: "TURN", help: "continue from an earlier turn", more: "A turn is named by its id, as /tree shows it.",
		run: runAt, complete: completeTurn,
	}
}

func runAt(s *session, ctx context.Context, ref string) error {
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	turn, err := s.ask.Chat.History.FindTurn(ctx, c.ID, ref)
	if err == nil {
		err = s.at.At(turn)
	}
	if err != nil {
		return err
	}
	s.print.Note("the next question follows %s: %s", history.Short(turn.ID), history.TitleOf(turn.Question))
	return nil
}

// completeTurn offers the answered turns of the conversation, the latest first.
func completeTurn(s *session, _ string) []lineedit.Candidate {
	if !s.at.Saves() || s.at.Question.Conversation == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	turns, err := s.ask.Chat.History.Turns(ctx, s.at.Question.Conversation.ID)
	if err != nil {
		return nil
	}
	var out []lineedit.Candidate
	for n := len(turns) - 1; n >= 0 && len(out) < maxCandidates; n-- {
		if turns[n].State == history.Answered {
			out = append(out, lineedit.Candidate{Value: history.Short(turns[n].ID), Description: history.TitleOf(turns[n].Question)})
		}
	}
	return out
}
