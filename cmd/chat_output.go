package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/codeblock"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// anyLanguage is --extract without a language.
const anyLanguage = "any"

// noBlockError is a reply without the block of code that --extract wants. The
// reply itself is safe: saved, or shown on stderr.
type noBlockError struct {
	wanted string
	others []string // the languages of the blocks there are
}

func (e *noBlockError) Error() string {
	switch {
	case len(e.others) == 0:
		return "the reply has no block of code"
	default:
		return fmt.Sprintf("the reply has no block of %s; its blocks: %s", e.wanted, strings.Join(e.others, ", "))
	}
}

// notCopiedError is a reply that was shown and could not be copied. It is a failure,
// and no mere warning: what a script pastes next would be what lay there before.
type notCopiedError struct{ err error }

func (e *notCopiedError) Error() string {
	return "the reply is shown, but could not be copied: " + e.err.Error()
}
func (e *notCopiedError) Unwrap() error { return e.err }

// print writes text that is safe for where it goes.
func (e *exchange) print(text string) error {
	if e.pages {
		return e.f.Print.Page(text)
	}
	return e.f.Print.Printf("%s", text)
}

// showBlock writes the block of --extract, and with none of it nothing to stdout.
func (e *exchange) showBlock(answer chat.Answer) error {
	code, err := block(answer.Reply.Text, e.language())
	if err == nil {
		return e.print(e.f.Print.Clean(code))
	}
	if !answer.Saved {
		// It is nowhere else.
		fmt.Fprint(e.f.IO.Err, terminal.Clean(withNewline(answer.Reply.Text)))
	}
	return err
}

// language is the one that --extract names.
func (e *exchange) language() string {
	if e.opts.Extract == anyLanguage {
		return ""
	}
	return e.opts.Extract
}

// block finds the first block of code, or the first of a language.
func block(reply, language string) (string, error) {
	code, found, languages := codeblock.Find(reply, language)
	if found {
		return code, nil
	}
	for i, name := range languages {
		languages[i] = cmp.Or(name, "without a language")
	}
	return "", &noBlockError{wanted: language, others: slices.Compact(languages)}
}

// copy puts on the clipboard what --copy wants there, and says by what.
func (e *exchange) copy(ctx context.Context, answer chat.Answer) (note string, err error) {
	if !e.opts.Copy {
		return "", nil
	}
	what, text := "reply", answer.Reply.Text
	if e.opts.Extract != "" {
		what = "block"
		if text, err = block(text, e.language()); err != nil {
			return "", err
		}
	}
	how, err := e.f.IO.Copy(ctx, text)
	switch {
	case err != nil:
		return "", &notCopiedError{err: err}
	case how == terminal.OSC52:
		return fmt.Sprintf("the terminal was asked to copy the %s (OSC 52); it does not say whether it did", what), nil
	}
	return fmt.Sprintf("the %s is copied (%s)", what, how), nil
}

func withNewline(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
