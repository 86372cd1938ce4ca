// Package ask asks questions and shows progress and answers to the user. An answer is
// recorded before it is printed. One-shot commands and the interactive chat share this
// package. It does not depend on flags.
package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/schema"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// Options are the ways to show an answer.
type Options struct {
	Raw   bool // do not render Markdown
	Usage bool // print the number of tokens
	Copy  bool // also copy the reply to the clipboard
	Paged bool // use the pager if the reply is longer than the screen
	// Block, if not nil, selects the first code block in this language instead of the
	// whole reply. If empty, it selects the first block in any language.
	Block *string
	// Contract, if not nil, asks for JSON that fits a schema, which is shown instead of
	// the reply.
	Contract *schema.Contract
}

// Asker asks questions for one profile.
type Asker struct {
	Options
	Chat    chat.Asker
	Profile config.Profile

	f      *cli.Factory
	client *api.Client
}

// Once asks a question and shows the reply. The answer is recorded before it is
// printed. An answer that cannot be recorded is printed too, and the error is a
// *chat.NotSavedError.
func (a Asker) Once(ctx context.Context, question chat.Question) (chat.Answer, error) {
	if a.Contract != nil {
		return a.onceJSON(ctx, question)
	}
	answer, err := a.ask(ctx, question)
	if err != nil {
		return answer, err
	}
	return answer, a.finishOnce(ctx, question.AgentID, answer)
}

// ask asks a question and shows a spinner.
func (a Asker) ask(ctx context.Context, question chat.Question) (chat.Answer, error) {
	stop := a.Wait(ctx, "asking", time.Time{}, question.AgentID)
	answer, err := a.Chat.Ask(ctx, question)
	stop(err)
	return answer, err
}

// finishOnce copies an answer if a.Copy is set, and shows it.
func (a Asker) finishOnce(ctx context.Context, agentID string, answer chat.Answer) error {
	// Copy before showing, because the pager may stay open for a long time.
	copied, cerr := a.copy(ctx, answer)
	err := a.Finish(agentID, answer)
	if err == nil {
		err = cerr
	}
	if copied != "" {
		a.f.Print.Note("%s", copied)
	}
	return err
}

// Finish shows an answer, then notes about it.
func (a Asker) Finish(agentID string, answer chat.Answer) error {
	err := a.show(agentID, answer)
	shown := err == nil || failure.Of(err).Kind == failure.NoBlock
	if answer.SaveErr != nil {
		return &chat.NotSavedError{Err: errors.Join(answer.SaveErr, err), Shown: shown}
	}
	if !shown {
		return err
	}
	view.Remarks(a.f.Print, answer)
	if a.Usage {
		view.Cost(a.f.Print, "", answer)
	}
	if answer.Parent == "" && answer.Reply.Model == "guide" {
		a.noteGuide()
	}
	return err
}

// noteGuide prints how to connect to a service if none is configured.
func (a Asker) noteGuide() {
	if isUnconfigured(a.f) {
		a.f.Print.Note("the built-in guide answered; to connect to a service: hobnob login")
	}
}

// show writes the reply to stdout.
func (a Asker) show(agentID string, answer chat.Answer) error {
	var err error
	switch {
	case a.f.IO.OutClosed && !a.Copy:
		err = cli.OutputError(terminal.ErrOutClosed)
	case a.f.Print.WantsJSON():
		err = a.f.Print.JSON(view.NewEnvelope(answer, a.Profile.Name, agentID, a.Chat.History.Saved()))
	case a.Block != nil:
		err = a.showBlock(answer)
	case answer.Document != "":
		err = a.write(view.Document(a.f.Print, answer, a.Profile.Style, a.Raw))
	default:
		err = a.write(view.Reply(a.f.Print, answer.Reply.Text, a.Profile.Style, a.Raw))
	}
	if err != nil && answer.Saved {
		return failure.WithHint(err, "the reply is saved in conversation %s", history.Short(answer.Conversation))
	}
	return err
}

// showBlock writes the selected code block to stdout. If there is none, it writes
// nothing to stdout and returns an error.
func (a Asker) showBlock(answer chat.Answer) error {
	code, err := view.Block(answer.Reply.Text, *a.Block)
	if err == nil {
		return a.write(a.f.Print.Clean(code))
	}
	if !answer.Saved {
		// The user could not see the reply otherwise.
		fmt.Fprint(a.f.Print.IO.Err, terminal.Clean(view.WithNewline(answer.Reply.Text)))
	}
	return err
}

// write writes clean text, through the pager if a.Paged is set.
func (a Asker) write(text string) error {
	if a.Paged {
		return a.f.Print.Page(text)
	}
	return a.f.Print.Printf("%s", text)
}

// copy copies the reply or the code block to the clipboard if a.Copy is set, and
// returns a note about it. A failure is an error, not a warning, because a script would
// paste the old clipboard.
func (a Asker) copy(ctx context.Context, answer chat.Answer) (note string, err error) {
	if !a.Copy {
		return "", nil
	}
	what, text := "reply", answer.Reply.Text
	if answer.Document != "" {
		what, text = "JSON document", answer.Document
	}
	if a.Block != nil {
		what = "block"
		if text, err = view.Block(text, *a.Block); err != nil {
			return "", err
		}
	}
	how, err := a.f.Print.IO.Copy(ctx, text)
	switch {
	case err != nil:
		return "", fmt.Errorf("the reply was shown but could not be copied: %w", err)
	case how == terminal.OSC52:
		return fmt.Sprintf("asked the terminal to copy the %s (OSC 52); it does not confirm this", what), nil
	}
	return fmt.Sprintf("copied the %s (%s)", what, how), nil
}
