package repl

import "context"

func newCommand() command {
	return command{
		name: "new", argument: "[TITLE]", help: "begin a new conversation", more: "The one before stays as it is; /open goes back to it.",
		run: func(s *session, _ context.Context, title string) error {
			s.at.New(title)
			s.print.Note("the next question begins a new conversation")
			return nil
		},
	}
}
