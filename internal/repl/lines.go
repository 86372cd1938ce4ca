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
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// lines is what is typed: the line editor, the texts typed before, and the draft
// of the one that is not sent yet.
type lines struct {
	printer *cli.Printer
	editor  *lineedit.Editor
	inputs  *lineedit.History
	draft   *draft.Draft // nil when nothing may be written
	next    string       // what the next line begins with
	warned  bool         // it was reported that texts are not remembered
}

// openLines opens the line editor with its history and the draft that an earlier
// chat of the profile left. Where they cannot be had the chat goes on without them.
func openLines(f *cli.Factory, profile string, saves bool) (*lines, error) {
	l := &lines{printer: f.Print, editor: lineedit.New(f.IO)}
	var inputs string
	if saves {
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		name := url.PathEscape(profile)
		inputs = filepath.Join(paths.StateDir, "input", name+".jsonl")
		if l.draft, l.next, err = draft.Open(filepath.Join(paths.StateDir, "drafts"), "chat-"+name); err != nil {
			l.printer.Warn("what is typed is not kept before it is sent: %v", err)
		}
	}
	var err error
	if l.inputs, err = lineedit.OpenHistory(inputs); err != nil {
		l.printer.Warn("what was typed before cannot be read: %v", err)
	}
	l.editor.History, l.editor.Quoted = l.inputs, asLine
	if l.draft != nil {
		l.editor.Changed = l.draft.Set
	}
	return l, nil
}

func (l *lines) close() {
	if l.draft == nil {
		return
	}
	if err := l.draft.Close(); err != nil {
		l.printer.Warn("what was typed last is not kept: %v", err)
	}
}

// remember keeps a text for the Up key.
func (l *lines) remember(text string) {
	if err := l.inputs.Add(text); err != nil && !l.warned {
		l.warned = true
		l.printer.Warn("what is typed is not remembered: %v", err)
	}
}

// settle makes the draft what the next line begins with: the text before it is
// recorded, or its command is done.
func (l *lines) settle() {
	if l.draft != nil {
		l.draft.Set(l.next)
	}
}

// put makes a question what the next line begins with.
func (l *lines) put(question string) {
	if l.next != "" { // the draft of an earlier chat
		l.remember(l.next)
	}
	l.next = asLine(question)
}

// asLine returns the line that asks this question: one that begins with a slash
// gets a second.
func asLine(question string) string {
	if strings.HasPrefix(question, "/") {
		return "/" + question
	}
	return question
}

// read returns what the next text that is no blank line wants done.
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
		case errors.Is(err, lineedit.ErrTokenChanged):
			l.printer.Warn("nothing was sent: a part of [text #…] was changed, and the text behind it would be lost; mend it, or undo with Ctrl-_")
			l.next = text
			continue
		case errors.Is(err, lineedit.ErrInterrupted):
			l.remember(text)
			l.settle()
			if strings.TrimSpace(text) == "" {
				l.printer.Note("Ctrl-D or /exit leaves")
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

// prompt names the conversation and the agent, and leaves room for what is typed.
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
		files = ", " + cli.Counted(len(s.files), "file")
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
