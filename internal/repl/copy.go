package repl

import (
	"context"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/codeblock"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func runCopy(ctx context.Context, s *session, what string) error {
	text, err := s.at.LastReply()
	if err != nil {
		return err
	}
	if what != "" {
		word, language, _ := strings.Cut(what, " ")
		if word != "code" {
			return failure.Usagef("usage: /copy [code [LANGUAGE]]", "invalid argument %q", what)
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
		s.f.Print.Note("sent to the clipboard of the terminal (OSC 52), which does not confirm it")
		return nil
	}
	s.f.Print.Note("copied (%s)", how)
	return nil
}

func completeCopy(_ context.Context, s *session, argument string) []lineedit.Candidate {
	if s.at.Reply == "" {
		return nil
	}
	if !strings.HasPrefix(argument, "code ") {
		return []lineedit.Candidate{{Value: "code", Description: "the first code block"}}
	}
	var out []lineedit.Candidate
	_, _, languages := codeblock.Find(s.at.Reply, "")
	for _, language := range languages {
		if language != "" && language == terminal.CleanLine(language) {
			out = append(out, lineedit.Candidate{Value: "code " + language})
		}
	}
	return out
}
