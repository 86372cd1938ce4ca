package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// runUndo moves before the last question and puts it into the next line.
func runUndo(ctx context.Context, s *session, _ string) error {
	if !s.at.Saves() && s.at.Question.Conversation == nil {
		return failure.Usagef("ask a question first", "no question to undo")
	}
	turn, err := s.at.LastTurn(ctx)
	if err != nil {
		return err
	}
	s.lines.put(turn.Question)
	s.at.Before(ctx, turn)
	if !s.at.Saves() {
		s.f.Print.Note("moved back before the last question")
		return nil
	}
	s.f.Print.Note("moved back before turn %s, which stays in the history", history.Short(turn.ID))
	return nil
}
