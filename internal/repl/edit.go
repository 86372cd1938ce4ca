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

// edit opens a text in the editor and handles the result. line returns the line that
// the user would type for a text.
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
	if err == nil || isCommand || inDraft || errors.As(err, new(*chat.FailedError)) { // /again has the text
		cli.Discard(file)
		return err
	}
	return failure.WithHint(err, "the text is saved in %s", file)
}
