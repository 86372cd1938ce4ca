package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// runUndo puts the last question into the next line.
func runUndo(ctx context.Context, s *session, _ string) error {
	if !s.at.Saves() && s.at.Question.Conversation == nil {
		return failure.Usagef("ask something first", "there is no question to take back")
	}
	turn, err := s.at.LastTurn(ctx)
	if err != nil {
		return err
	}
	s.lines.put(turn.Question)
	s.at.Before(ctx, turn)
	if !s.at.Saves() {
		s.f.Print.Note("back before the last question")
		return nil
	}
	s.f.Print.Note("back before turn %s, which is kept", history.Short(turn.ID))
	return nil
}
