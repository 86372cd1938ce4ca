// Package ask asks one question in front of a user: it shows that an agent is
// awaited, prints the answer once it is recorded, and notes what else there is to
// know. The one-shot commands and the interactive chat share it. It knows no flags.
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
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// Options say how an answer is shown.
type Options struct {
	Raw   bool // not rendered on a terminal
	Usage bool // say what it cost
	Copy  bool // put it on the clipboard as well
	Paged bool // what is longer than the screen goes through the pager
	// Block, if not nil, shows the first block of code instead: of a language, or
	// of any where it is empty.
	Block *string
}

// Asker asks questions of one profile.
type Asker struct {
	Options
	Chat    chat.Asker
	Profile config.Profile

	f      *cli.Factory
	client *api.Client
}

// Once asks a question and shows the reply. The answer is recorded before it is
// printed; an answer that cannot be recorded is printed all the same, and the
// error is a *chat.NotSavedError.
func (a Asker) Once(ctx context.Context, question chat.Question) (chat.Answer, error) {
	stop := a.Wait(ctx, "asking", question.AgentID, time.Time{})
	answer, err := a.Chat.Ask(ctx, question)
	stop(err)
	if err != nil {
		return answer, err
	}
	// Before it is shown: a pager may stay open for long.
	copied, cerr := a.copy(ctx, answer)
	if err = a.Finish(question.AgentID, answer); err == nil {
		err = cerr
	}
	if copied != "" {
		a.f.Print.Note("%s", copied)
	}
	return answer, err
}

// Finish shows an answer and what there is to say about it.
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
		view.Cost(a.f.Print, answer)
	}
	if answer.Parent == "" && answer.Reply.Model == "guide" && isUnconfigured(a.f) {
		a.f.Print.Note("the built-in guide answered; to connect a service: hobnob login")
	}
	return err
}

// show writes the reply to stdout.
func (a Asker) show(agentID string, answer chat.Answer) error {
	var err error
	switch {
	case a.f.Print.WantsJSON():
		err = a.f.Print.JSON(view.NewEnvelope(answer, a.Profile.Name, agentID, a.Chat.History.Saved()))
	case a.Block != nil:
		err = a.showBlock(answer)
	default:
		err = a.print(view.Reply(a.f.Print, answer.Reply.Text, a.Profile.Style, a.Raw))
	}
	if err != nil && answer.Saved {
		return failure.WithHint(err, "the reply is saved in conversation %s", history.Short(answer.Conversation))
	}
	return err
}

// showBlock writes the block of code that is wanted, and with none of it nothing
// to stdout.
func (a Asker) showBlock(answer chat.Answer) error {
	code, err := view.Block(answer.Reply.Text, *a.Block)
	if err == nil {
		return a.print(a.f.Print.Clean(code))
	}
	if !answer.Saved {
		// It is nowhere else.
		fmt.Fprint(a.f.Print.IO.Err, terminal.Clean(view.WithNewline(answer.Reply.Text)))
	}
	return err
}

// print writes text that is safe for where it goes.
func (a Asker) print(text string) error {
	if a.Paged {
		return a.f.Print.Page(text)
	}
	return a.f.Print.Printf("%s", text)
}

// copy puts on the clipboard what Copy wants there, and returns a note of how. That
// it cannot is a failure and no warning: what a script pastes next would be
// something else.
func (a Asker) copy(ctx context.Context, answer chat.Answer) (note string, err error) {
	if !a.Copy {
		return "", nil
	}
	what, text := "reply", answer.Reply.Text
	if a.Block != nil {
		what = "block"
		if text, err = view.Block(text, *a.Block); err != nil {
			return "", err
		}
	}
	how, err := a.f.Print.IO.Copy(ctx, text)
	switch {
	case err != nil:
		return "", fmt.Errorf("the reply is shown, but could not be copied: %w", err)
	case how == terminal.OSC52:
		return fmt.Sprintf("the terminal was asked to copy the %s (OSC 52); it does not say whether it did", what), nil
	}
	return fmt.Sprintf("the %s is copied (%s)", what, how), nil
}
