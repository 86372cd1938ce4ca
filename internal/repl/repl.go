// Package repl implements the interactive chat: a loop that reads lines and sends
// them as questions, with slash commands.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/prompt"
	"github.com/hobnob-cli/hobnob/internal/secrets"
)

// errLeave ends the chat.
var errLeave = errors.New("leave the chat")

// session is one interactive chat.
type session struct {
	f     *cli.Factory
	ask   *ask.Asker
	guard secrets.Guard
	at    *Cursor
	files []attach.File // attached to the next question
	lines *lines

	interrupts <-chan os.Signal
}

// step is the action of a line.
type step func(context.Context) error

// Run runs a chat until the input ends or the user leaves. It begins with question, if
// that has a text; with again, it asks it as a sibling of the earlier turn. An error
// of a question does not end the chat.
func Run(ctx context.Context, f *cli.Factory, asker ask.Asker, guard secrets.Guard, question chat.Question, again bool) error {
	asker.Paged = false // the user of a chat can scroll back
	s := &session{f: f, ask: &asker, guard: guard, at: newCursor(question, asker.Profile, &asker.Chat)}
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
		s.interrupts, restore = f.Print.Interrupts(os.Interrupt)
		defer restore()
	}
	s.f.Print.Note("chatting with %s; /help lists the commands, Ctrl-D leaves", s.at.AgentName())
	if s.lines.next != "" && s.lines.editor.Rich() {
		s.f.Print.Note("restored unsent text of an earlier chat; Ctrl-C clears it")
	}
	var next step
	switch {
	case question.Text == "":
	case again:
		s.at.Question.Parent = nil
		next = func(ctx context.Context) error { return s.again(ctx, question.Parent, question.Text) }
	default: // a question even if it begins with a slash
		next = func(ctx context.Context) error { return s.typed(ctx, question.Text, question.Text) }
	}
	return s.loop(ctx, next)
}

// loop runs a first step, which may be nil, and then reads and runs lines.
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

// interruptibly runs a step, which Ctrl-C cancels without ending the chat.
func (s *session) interruptibly(ctx context.Context, do step) error {
	select {
	case <-s.interrupts: // was pressed too late for the previous step
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

// handle runs a slash command or asks a question.
func (s *session) handle(ctx context.Context, text string) error {
	defer s.lines.settle()
	if name, argument, ok := parse(text); ok {
		return s.command(ctx, name, argument)
	}
	return s.question(ctx, asQuestion(text))
}

// question asks a question with the attached files.
func (s *session) question(ctx context.Context, text string) error {
	parts := prompt.Parts{Words: []string{text}, Files: s.files}
	budget, err := s.ask.FileBudget(ctx, s.at.Question)
	if err == nil && s.at.Question.Conversation == nil {
		_, err = parts.AddProject(ctx, s.f, budget)
	}
	asked := prompt.Assembled{Found: attach.Found{Files: parts.Files}}
	if err == nil {
		asked.Text, err = parts.Assemble()
	}
	if err == nil {
		err = asked.Check(ctx, s.guard, s.at.Question.Instructions)
	}
	if err != nil {
		s.lines.put(text) // it is saved nowhere else
		return err
	}
	return s.typed(ctx, text, asked.Text)
}

// typed sends an assembled question. If it is not recorded, the text goes back to the
// line.
func (s *session) typed(ctx context.Context, text, assembled string) error {
	err := s.send(ctx, assembled)
	if err != nil && !errors.As(err, new(*chat.FailedError)) {
		s.lines.put(text) // it is saved nowhere else
	}
	return err
}

// again asks a question again as a child of parent, that is, as a sibling of its turn.
// If it fails, the cursor does not move.
func (s *session) again(ctx context.Context, parent *string, text string) error {
	before := s.at.Question.Parent
	s.at.Question.Parent = parent
	err := s.send(ctx, text)
	if s.at.Question.Parent == parent {
		s.at.Question.Parent = before
	}
	return err
}

// send sends an assembled question and moves to its turn.
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
