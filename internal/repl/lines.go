package repl

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/draft"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// lines reads what the user types, with the line editor, the input history and the
// draft of unsent text.
type lines struct {
	printer *cli.Printer
	editor  *lineedit.Editor
	inputs  *lineedit.History
	draft   *draft.Draft // nil in an unsaved chat
	next    string       // initial text of the next line
	warned  bool         // that the input history cannot be saved
}

// openLines opens the line editor, its history and the draft of an earlier chat of
// the profile. It prints a warning if the history or the draft cannot be opened.
func openLines(f *cli.Factory, profile string, saves bool) (*lines, error) {
	l := &lines{printer: f.Print, editor: lineedit.New(f.IO)}
	var inputs string
	if saves {
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		inputs = InputFile(paths.StateDir, profile)
		if l.draft, l.next, err = draft.Open(filepath.Join(paths.StateDir, "drafts"), "chat-"+url.PathEscape(profile)); err != nil {
			l.printer.Warn("unsent text will not be saved: %v", err)
		}
	}
	var err error
	if l.inputs, err = lineedit.OpenHistory(inputs); err != nil {
		l.printer.Warn("cannot read the input history: %v", err)
	}
	l.editor.History, l.editor.Quoted = l.inputs, asLine
	if l.draft != nil {
		l.editor.Changed = l.draft.Set
	}
	return l, nil
}

// InputFile returns the path of the input history of a profile's chats.
func InputFile(stateDir, profile string) string {
	return filepath.Join(stateDir, "input", url.PathEscape(profile)+".jsonl")
}

func (l *lines) close() {
	if l.draft == nil {
		return
	}
	if err := l.draft.Close(); err != nil {
		l.printer.Warn("unsent text was not saved: %v", err)
	}
}

// remember adds a text to the input history.
func (l *lines) remember(text string) {
	if err := l.inputs.Add(text); err != nil && !l.warned {
		l.warned = true
		l.printer.Warn("cannot save the input history: %v", err)
	}
}

// settle sets the draft to the initial text of the next line. It is called when the
// question is saved or the command is done.
func (l *lines) settle() {
	if l.draft != nil {
		l.draft.Set(l.next)
	}
}

// put sets the initial text of the next line to a question.
func (l *lines) put(question string) {
	if l.next != "" { // the draft of an earlier chat
		l.remember(l.next)
	}
	l.next = asLine(question)
}

// read reads lines until one is not blank and returns its step.
func (s *session) read(ctx context.Context) (step, error) {
	l := s.lines
	for {
		initial := l.next
		l.next = ""
		text, err := l.editor.Read(ctx, s.prompt(), initial, s.interrupts)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, lineedit.ErrWantsEditor):
			return func(ctx context.Context) error { return s.edit(ctx, text, func(line string) string { return line }) }, nil
		case errors.Is(err, lineedit.ErrPlaceholderChanged):
			l.printer.Warn("nothing was sent: a placeholder [text #…] was changed, so its text would be lost; fix it, or undo the change with Ctrl-_")
			l.next = text
			continue
		case errors.Is(err, lineedit.ErrInterrupted):
			l.remember(text)
			l.settle()
			if strings.TrimSpace(text) == "" {
				l.printer.Note("Ctrl-D or /exit leaves the chat")
			}
			continue
		case err != nil:
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			l.settle()
			continue
		}
		l.remember(text)
		return func(ctx context.Context) error { return s.handle(ctx, text) }, nil
	}
}

// prompt returns the prompt with the conversation and the agent, shortened so that
// there is room to type.
func (s *session) prompt() string {
	columns := s.f.IO.Columns()
	room := columns - min(columns/3, 20) - len("> ")
	question := s.at.Question
	where, after, files := "unsaved chat", "", ""
	if s.at.Saves() {
		where = cmp.Or(question.Title, "new conversation")
		if c := question.Conversation; c != nil {
			where = c.Title
		}
		if parent := question.Parent; parent != nil {
			if after = " from the start"; *parent != "" {
				after = " after " + history.Short(*parent)
			}
		}
	}
	where = s.f.IO.Truncate(terminal.CleanLine(where), min(max(columns/3, 8), max(room, 1)))
	with := s.f.IO.Truncate(terminal.CleanLine(s.at.AgentName()), max(columns/4, 8))
	if len(s.files) > 0 {
		files = ", " + plural.Count(len(s.files), "file")
	}
	rest := ""
	for _, fits := range []string{after + " (" + with + files + ")", " (" + with + files + ")", " (" + with + ")"} {
		if terminal.Width(where+fits) <= room {
			rest = fits
			break
		}
	}
	if s.f.IO.OutColor && s.lines.editor.Rich() {
		where = "\x1b[1m" + where + "\x1b[0m"
	}
	return where + rest + "> "
}
