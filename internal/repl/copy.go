package repl

import (
	"context"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func copyCommand() command {
	return command{
		name: "copy", argument: "[code [LANGUAGE]]", help: "copy the last reply, or its first block of code",
		more: "Over ssh the terminal is asked to copy (OSC 52).", run: runCopy, complete: completeCopy,
	}
}

func runCopy(s *session, ctx context.Context, what string) error {
	text, err := s.lastReply()
	if err != nil {
		return err
	}
	if what != "" {
		word, language, _ := strings.Cut(what, " ")
		if word != "code" {
			return usage("usage: /copy [code [LANGUAGE]]", "/copy cannot copy %q", what)
		}
		if text, err = view.Block(text, strings.TrimSpace(language)); err != nil {
			return err
		}
	}
	how, err := s.f.IO.Copy(ctx, text)
	if err != nil {
		return err
	}
	if how == terminal.OSC52 {
		s.print.Note("the terminal was asked to copy it (OSC 52); it does not say whether it did")
		return nil
	}
	s.print.Note("copied (%s)", how)
	return nil
}

// lastReply returns the reply that /copy and /save mean.
func (s *session) lastReply() (string, error) {
	if s.at.Reply == "" {
		return "", usage("ask something first", "there is no reply yet")
	}
	return s.at.Reply, nil
}

func completeCopy(s *session, argument string) []lineedit.Candidate {
	if s.at.Reply == "" {
		return nil
	}
	if !strings.HasPrefix(argument, "code ") {
		return []lineedit.Candidate{{Value: "code", Description: "the first block of code"}}
	}
	var out []lineedit.Candidate
	for _, language := range view.BlockLanguages(s.at.Reply) {
		if language != "" && language == terminal.CleanLine(language) {
			out = append(out, lineedit.Candidate{Value: "code " + language})
		}
	}
	return out
}
