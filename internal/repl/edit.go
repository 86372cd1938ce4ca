package repl

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

func editCommand() command {
	return command{
		name: "edit", argument: "[TEXT]", help: "write the next question in $VISUAL or $EDITOR",
		more: "Ctrl-X Ctrl-E does so with what is in the line. An empty file asks nothing.",
		run:  func(s *session, ctx context.Context, text string) error { return s.edit(ctx, text, asLine) },
	}
}

// editLine edits what is typed in the editor and does what it says then.
func (s *session) editLine(ctx context.Context, typed string) error {
	return s.edit(ctx, typed, func(text string) string { return text })
}

// edit opens a text in the editor; line makes what is typed of one.
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
