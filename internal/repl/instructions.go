package repl

import (
	"context"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/prompt"
	"github.com/hobnob-cli/hobnob/internal/secrets"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// The arguments of /instructions that are not instructions.
const (
	clearInstructions  = "clear"
	updateInstructions = "update"
)

func runInstructions(ctx context.Context, s *session, given string) error {
	next := ask.OwnInstructions("")
	switch given {
	case "":
		return s.showInstructions(ctx)
	case clearInstructions:
	case updateInstructions:
		next = ask.InstructionsFor(s.ask.Profile, s.at.agent(), nil)
		if c := s.at.Question.Conversation; c != nil {
			var err error
			if next, _, err = ask.ChangedInstructions(ctx, s.ask.Chat.History, s.ask.Profile, *c, s.at.agent()); err != nil {
				return err
			}
		}
	default:
		if path, err := typedPath(given); err == nil && exists(path) {
			given = path
		}
		var err error
		if next.Text, err = prompt.Instructions(s.f.Print, given); err != nil {
			return err
		}
	}
	if s.at.Question.Conversation != nil { // otherwise they are checked with the first question
		if err := s.guard.Check(ctx, secrets.Source{Name: secrets.Instructions, Text: next.Text}); err != nil {
			return err
		}
	}
	if err := s.at.SetInstructions(ctx, next); err != nil {
		return err
	}
	return s.noteInstructions(ctx)
}

func (s *session) showInstructions(ctx context.Context) error {
	sent, err := s.ask.Chat.Consider(ctx, s.at.Question)
	if err != nil {
		return err
	}
	if sent.Instructions.Text != "" {
		if err := s.f.Print.Text(view.WithNewline(sent.Instructions.Text)); err != nil {
			return err
		}
	}
	return s.noteInstructions(ctx)
}

// noteInstructions prints the source and the cost of the instructions.
func (s *session) noteInstructions(ctx context.Context) error {
	sent, err := s.ask.Chat.Consider(ctx, s.at.Question)
	if err != nil {
		return err
	}
	if sent.Instructions.Text == "" {
		s.f.Print.Note("the next question is sent without instructions")
		return nil
	}
	s.f.Print.Note("the next question is sent with the instructions of %s: %s, about %s", sent.Instructions.Owner(),
		plural.Count(utf8.RuneCountInString(sent.Instructions.Text), "character"), plural.Count(sent.InstructionsTokens, "token"))
	return nil
}

// noteChange prints a change of ask.ChangedInstructions, unless it is empty.
func (s *session) noteChange(change string) {
	if change != "" {
		s.f.Print.Note("%s; to change that: /instructions %s", change, updateInstructions)
	}
}

// completeInstructions completes files and the other arguments.
func completeInstructions(ctx context.Context, s *session, typed string) []lineedit.Candidate {
	return append([]lineedit.Candidate{{Value: clearInstructions}, {Value: updateInstructions}}, completePath(ctx, s, typed)...)
}
