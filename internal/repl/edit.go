package repl

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

func runEdit(ctx context.Context, s *session, text string) error { return s.edit(ctx, text, asLine) }

// edit opens a text in the editor and does what it says then; line makes of a text
// what a user types for it.
func (s *session) edit(ctx context.Context, initial string, line func(string) string) error {
	text, file, err := prompt.Edit(ctx, s.f, initial)
	if err != nil {
		s.lines.next = line(initial)
		return err
	}
	text = line(text)
	s.lines.remember(text)
	err = s.handle(ctx, text)
	_, _, isCommand := parse(text)
	inDraft := s.lines.next != "" && s.lines.draft != nil
	if err == nil || isCommand || inDraft || errors.As(err, new(*chat.FailedError)) { // which /again has
		cli.Discard(file)
		return err
	}
	return failure.WithHint(err, "the text is kept in %s", file)
}
