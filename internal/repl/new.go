package repl

import "context"

func runNew(_ context.Context, s *session, title string) error {
	s.at.New(title)
	s.f.Print.Note("the next question begins a new conversation")
	return nil
}
