package repl

import "context"

func againCommand() command {
	return command{
		name: "again", help: "ask the last question again, beside the first answer",
		run: func(s *session, ctx context.Context, _ string) error {
			if !s.at.Saves() && s.at.Question.Conversation == nil {
				return usage("ask something first", "there is no question to ask again")
			}
			turn, err := s.at.LastTurn(ctx)
			if err != nil {
				return err
			}
			return s.again(ctx, &turn.Parent, turn.Question)
		},
	}
}
