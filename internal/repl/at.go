package repl

import (
	"context"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
)

func runAt(ctx context.Context, s *session, ref string) error {
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
	s.f.Print.Note("the next question continues from %s: %s", history.Short(turn.ID), history.TitleOf(turn.Question))
	return nil
}

// completeTurn completes the answered turns of the conversation, latest first.
func completeTurn(ctx context.Context, s *session, _ string) []lineedit.Candidate {
	if !s.at.Saves() || s.at.Question.Conversation == nil {
		return nil
	}
	turns, err := s.ask.Chat.History.Turns(ctx, s.at.Question.Conversation.ID)
	if err != nil {
		return nil
	}
	ids := make([]string, len(turns))
	for i, turn := range turns {
		ids[i] = turn.ID
	}
	var out []lineedit.Candidate
	short := history.Shorts(ids...)
	for _, turn := range slices.Backward(turns) {
		if turn.State == history.Answered && len(out) < maxCandidates {
			out = append(out, lineedit.Candidate{Value: short(turn.ID), Description: history.TitleOf(turn.Question)})
		}
	}
	return out
}
