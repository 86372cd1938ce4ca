// Package repl is the interactive chat: a loop that reads lines and asks what they
// say, with slash commands. It owns the place in the conversation and what is typed
// but not sent. It must not know flags or other commands of the command line.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

// errLeave ends the chat.
var errLeave = errors.New("leaving")

// session is one interactive chat.
type session struct {
	f     *cli.Factory
	ask   *ask.Asker
	at    *Cursor
	files []prompt.File // that go with the next question
	lines *lines

	interrupts <-chan os.Signal
}

// step is what a line wants done.
type step func(context.Context) error

// Run asks one question after another until the input ends or the user leaves. A
// first question may come with the call; again asks it as a sibling of the turn
// that was asked before. An error of a question never ends the chat.
func Run(ctx context.Context, f *cli.Factory, asker ask.Asker, question chat.Question, again bool) error {
	asker.Paged = false // the user of a chat can scroll back
	s := &session{f: f, ask: &asker, at: &Cursor{Question: question, profile: asker.Profile, asker: &asker.Chat}}
	s.at.Question.Text = ""
	var err error
	if s.lines, err = openLines(f, asker.Profile.Name, s.at.Saves()); err != nil {
		return err
	}
	defer s.lines.close()
	defer s.at.SaveUnsaved(context.Background(), s.warnUnsaved)
	s.lines.editor.Complete = s.complete
	asker.Chat.Journalled = func(history.Turn) { s.lines.settle() }
	s.f.Print.WrapLines()
	if f.Print.Interrupts != nil {
		var restore func()
		s.interrupts, restore = f.Print.Interrupts()
		defer restore()
	}
	s.f.Print.Note("asking %s; /help lists the commands, Ctrl-D leaves", s.at.AgentName())
	if s.lines.next != "" && s.lines.editor.Rich() {
		s.f.Print.Note("what was typed last and not sent is in the line; Ctrl-C clears it")
	}
	var next step
	switch {
	case question.Text == "":
	case again:
		s.at.Question.Parent = nil
		next = func(ctx context.Context) error { return s.again(ctx, question.Parent, question.Text) }
	default: // a slash is no command here
		next = func(ctx context.Context) error { return s.question(ctx, question.Text) }
	}
	return s.loop(ctx, next)
}

// loop does what is next, and then what one line after another says.
func (s *session) loop(ctx context.Context, next step) (err error) {
	for {
		if next != nil {
			err := s.interruptibly(ctx, next)
			switch {
			case errors.Is(err, errLeave):
				return nil
			case ctx.Err() != nil:
				return err
			case err != nil:
				s.report(err)
			}
		}
		if next, err = s.read(ctx); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// interruptibly runs one step, which Ctrl-C ends without ending the chat.
func (s *session) interruptibly(ctx context.Context, do step) error {
	select {
	case <-s.interrupts: // pressed too late for what was before
	default:
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case got := <-s.interrupts:
			cancel(&cli.SignalError{Signal: got})
		case <-inner.Done():
		}
	}()
	err := do(inner)
	var stopped *cli.SignalError
	if err != nil && ctx.Err() == nil && errors.As(context.Cause(inner), &stopped) {
		err = &cli.InterruptedError{Signal: stopped, Err: err}
	}
	return err
}

// handle does what a text says: a slash command, or a question.
func (s *session) handle(ctx context.Context, text string) error {
	defer s.lines.settle()
	if name, argument, ok := parse(text); ok {
		return s.command(ctx, name, argument)
	}
	if strings.HasPrefix(text, "//") {
		text = text[1:]
	}
	return s.question(ctx, text)
}

// question asks one question with the files that go with it.
func (s *session) question(ctx context.Context, text string) error {
	assembled, err := prompt.Parts{Words: []string{text}, Files: s.files}.Assemble()
	if err == nil {
		err = s.send(ctx, assembled)
		if err == nil || errors.As(err, new(*chat.FailedError)) {
			return err
		}
	}
	s.lines.put(text) // it is nowhere else
	return err
}

// again asks a question as a sibling of its turn, below the parent of that. Without
// an answer the chat goes on from where it was.
func (s *session) again(ctx context.Context, parent *string, text string) error {
	before := s.at.Question.Parent
	s.at.Question.Parent = parent
	err := s.send(ctx, text)
	if s.at.Question.Parent == parent {
		s.at.Question.Parent = before
	}
	return err
}

// send asks a question that is assembled, and moves to its turn.
func (s *session) send(ctx context.Context, text string) error {
	s.at.SaveUnsaved(ctx, s.warnUnsaved)
	if err := s.at.Refresh(ctx); err != nil {
		return err
	}
	s.at.Question.Text = text
	release := s.lines.editor.Hold()
	answer, err := s.ask.Once(ctx, s.at.Question)
	release()
	if s.lines.editor.Rich() && err == nil {
		fmt.Fprintln(s.f.IO.Err)
	}
	if answer.Conversation != "" {
		s.files = nil
	}
	return errors.Join(err, s.at.Asked(ctx, answer, errors.As(err, new(*chat.FailedError))))
}

func (s *session) warnUnsaved(answer chat.Answer, err error) {
	s.f.Print.Warn("the reply of turn %s still cannot be saved: %v", history.Short(answer.Turn), err)
}

// report prints an error, and how to go on when a question got no answer.
func (s *session) report(err error) {
	report := s.f.Print.Explain(err)
	s.f.Print.Line("error", report.Message)
	var failed *chat.FailedError
	switch {
	case errors.As(err, new(*history.TurnNotFoundError)):
		report.Hint = "a turn is named by its id or at least its first four characters: /tree"
	case errors.As(err, new(*history.NotFoundError)):
		report.Hint = "/open lists the latest conversations"
	case errors.As(err, &failed):
		report.Hint = "/again asks it once more"
		if failed.Conversation != "" {
			report.Hint = fmt.Sprintf("turn %s is %s; %s", history.Short(failed.Turn), failed.State, report.Hint)
		}
	}
	if report.Hint != "" {
		s.f.Print.Line("hint", report.Hint)
	}
}
