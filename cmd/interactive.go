package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/draft"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// errLeave ends an interactive chat.
var errLeave = errors.New("leaving")

// interactive is a chat in which a person asks one question after another. An
// error never ends it.
type interactive struct {
	*exchange

	// question is what the next one is asked with: its conversation, its place in
	// it, the agent.
	question chat.Question
	files    []chat.File   // that go with the next question
	failed   string        // its turn, if it got no answer
	reply    string        // the latest reply
	unsaved  []chat.Answer // that could not be kept yet
	next     string        // what the next line begins with

	forgets bool // it was said that what is typed cannot be kept

	editor     *lineedit.Editor
	inputs     *lineedit.History
	draft      *draft.Draft // nil when nothing may be written
	interrupts <-chan os.Signal
}

// interactive asks until the input ends or the person leaves.
func (e *exchange) interactive(ctx context.Context, question chat.Question) error {
	i, leave, err := e.begin(question)
	if err != nil {
		return err
	}
	defer leave()
	var step func(context.Context) error
	if question.Text != "" {
		step = func(ctx context.Context) error { return i.askFirst(ctx, question.Text) }
	}
	for {
		if step != nil {
			err := i.interruptibly(ctx, step)
			switch {
			case errors.Is(err, errLeave):
				return nil
			case ctx.Err() != nil:
				return err
			case err != nil:
				i.tell(err)
			}
		}
		if step, err = i.read(ctx); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// begin prepares the line editor with its history and the draft that an earlier
// chat left. Where they cannot be had the chat goes on without them.
func (e *exchange) begin(question chat.Question) (i *interactive, leave func(), err error) {
	f := e.f
	i = &interactive{exchange: e, question: question, editor: lineedit.New(f.IO)}
	i.question.Text, i.pages = "", false // whoever sits here can scroll back
	var inputs string
	if e.save {
		paths, err := f.Paths()
		if err != nil {
			return nil, nil, err
		}
		name := url.PathEscape(e.profile.Name)
		inputs = filepath.Join(paths.StateDir, "input", name+".jsonl")
		if i.draft, i.next, err = draft.Open(filepath.Join(paths.StateDir, "drafts"), "chat-"+name); err != nil {
			f.Print.Warn("what is typed is not kept before it is sent: %v", err)
		}
	}
	if i.inputs, err = lineedit.OpenHistory(inputs); err != nil {
		f.Print.Warn("what was typed before cannot be read: %v", err)
	}
	i.editor.History, i.editor.Complete, i.editor.Quoted = i.inputs, i.complete, asLine
	if i.draft != nil {
		i.editor.Changed = i.draft.Set
		i.asker.Journalled = func(history.Turn) { i.draft.Set(i.next) }
	}
	f.Print.WrapLines()
	restore := func() {}
	if f.Print.Interrupts != nil {
		i.interrupts, restore = f.Print.Interrupts()
	}
	f.Print.Note("asking %s; /help lists the commands, Ctrl-D leaves", i.agentName())
	if i.next != "" && i.editor.Rich() {
		f.Print.Note("what was typed last and not sent is in the line; Ctrl-C clears it")
	}
	return i, func() {
		restore()
		i.saveAgain(context.Background())
		if i.draft == nil {
			return
		}
		if err := i.draft.Close(); err != nil {
			f.Print.Warn("what was typed last is not kept: %v", err)
		}
	}, nil
}

// read returns what the next text that is no blank line wants done.
func (i *interactive) read(ctx context.Context) (step func(context.Context) error, err error) {
	for {
		initial := i.next
		i.next = ""
		text, err := i.editor.Read(ctx, i.prompt(), initial, i.interrupts)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, lineedit.ErrWantsEditor):
			return func(ctx context.Context) error { return i.editLine(ctx, text) }, nil
		case errors.Is(err, lineedit.ErrTokenChanged):
			i.f.Print.Warn("nothing was sent: a part of [text #…] was changed, and the text behind it would be lost; mend it, or undo with Ctrl-_")
			i.next = text
			continue
		case errors.Is(err, lineedit.ErrInterrupted):
			i.keep(text)
			i.settle()
			if strings.TrimSpace(text) == "" {
				i.f.Print.Note("Ctrl-D or /exit leaves")
			}
			continue
		case err != nil:
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			i.settle()
			continue
		}
		i.keep(text)
		return func(ctx context.Context) error { return i.handle(ctx, text) }, nil
	}
}

// keep remembers a text for the Up key.
func (i *interactive) keep(text string) {
	if err := i.inputs.Add(text); err != nil && !i.forgets {
		i.forgets = true
		i.f.Print.Warn("what is typed is not remembered: %v", err)
	}
}

// settle ends a draft whose text is dealt with.
func (i *interactive) settle() {
	if i.draft != nil && i.next == "" {
		i.draft.Set("")
	}
}

// prompt names the conversation and the agent, and leaves room for what is typed.
func (i *interactive) prompt() string {
	columns := i.f.IO.Columns()
	room := columns - min(columns/3, 20) - len("> ")
	where := "new conversation"
	if i.question.Title != "" {
		where = i.question.Title
	}
	if !i.save {
		where = "unsaved chat"
	} else if c := i.question.Conversation; c != nil {
		where = c.Title
	}
	where = i.f.IO.Truncate(terminal.CleanLine(where), min(max(columns/3, 8), max(room, 1)))
	with := i.f.IO.Truncate(terminal.CleanLine(i.agentName()), max(columns/4, 8))
	after, files := "", ""
	if p := i.question.Parent; !i.save {
		after = ""
	} else if p != nil && *p != "" {
		after = " after " + history.Short(*p)
	} else if p != nil {
		after = " from the start"
	}
	if len(i.files) > 0 {
		files = ", " + cli.Counted(len(i.files), "file")
	}
	rest := ""
	for _, fits := range []string{after + " (" + with + files + ")", " (" + with + files + ")", " (" + with + ")"} {
		if terminal.Width(where+fits) <= room {
			rest = fits
			break
		}
	}
	if i.f.IO.OutColor && i.editor.Rich() {
		where = "\x1b[1m" + where + "\x1b[0m"
	}
	return where + rest + "> "
}

// agentName is the agent's alias, else the beginning of its id, else the profile.
func (i *interactive) agentName() string {
	name := i.profile.AgentName(i.question.AgentID)
	if config.IsUUID(name) {
		name = history.Short(name)
	}
	return cmp.Or(name, i.profile.Name)
}

// handle does what a text says: a command, or a question.
func (i *interactive) handle(ctx context.Context, text string) error {
	defer i.settle()
	if name, argument, ok := slashCommand(text); ok {
		return i.command(ctx, name, argument)
	}
	if strings.HasPrefix(text, "//") {
		text = text[1:]
	}
	return i.ask(ctx, text)
}

// asLine is the line that handle takes for this question.
func asLine(question string) string {
	if strings.HasPrefix(question, "/") {
		return "/" + question
	}
	return question
}

// put makes a question what the next line begins with.
func (i *interactive) put(question string) {
	if i.next != "" { // the draft of an earlier chat
		i.keep(i.next)
	}
	i.next = asLine(question)
}

// interruptibly runs one step, which Ctrl-C ends without ending the chat.
func (i *interactive) interruptibly(ctx context.Context, step func(context.Context) error) error {
	select {
	case <-i.interrupts: // pressed too late for what was before
	default:
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-i.interrupts:
			cancel(&cli.SignalError{Signal: s})
		case <-done:
		}
	}()
	err := step(inner)
	close(done)
	var stopped *cli.SignalError
	if err != nil && ctx.Err() == nil && errors.As(context.Cause(inner), &stopped) {
		err = &cli.InterruptedError{Signal: stopped, Err: err}
	}
	return err
}

// tell reports an error, and how to go on when a question got no answer.
func (i *interactive) tell(err error) {
	f := i.f
	told := f.Print.Explain(err)
	f.Print.Line("error", told.Message)
	var failed *chat.FailedError
	var noTurn *history.TurnNotFoundError
	var missing *history.NotFoundError
	switch {
	case errors.As(err, &noTurn):
		told.Hint = "a turn is named by its id or at least its first four characters: /tree"
	case errors.As(err, &missing):
		told.Hint = "/open lists the latest conversations"
	case errors.As(err, &failed):
		told.Hint = "/again asks it once more"
		if failed.Conversation != "" {
			told.Hint = fmt.Sprintf("turn %s is %s; %s", history.Short(failed.Turn), failed.State, told.Hint)
		}
	}
	if told.Hint != "" {
		f.Print.Line("hint", told.Hint)
	}
}
