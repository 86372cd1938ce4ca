// Package lineedit reads text that a person types: with an editor that has the
// keys of Readline, on github.com/reeflective/readline, of which it is the only
// user; as plain lines where nothing can be edited; and with a history of earlier
// texts.
//
// It must not know commands, conversations or what the text is for: its callers
// supply the prompt, the completions and the file of the history.
package lineedit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// What ends the reading of a text other than Enter. io.EOF is another: Ctrl-D on
// an empty line, or the end of the input.
var (
	// ErrInterrupted is Ctrl-C; the text so far is returned with it.
	ErrInterrupted = errors.New("interrupted")
	// ErrTokenChanged is an accepted line in which the token of a longer text was
	// changed, so that the longer text would be lost; the line is returned with it.
	ErrTokenChanged = errors.New("a part of what stands for a longer text was changed")
	// ErrWantsEditor is Ctrl-X Ctrl-E; the text so far is returned with it.
	ErrWantsEditor = errors.New("the text is to be opened in the editor")

	errSuspended = errors.New("suspended") // Ctrl-Z
)

// Candidate is a possible completion of a word.
type Candidate struct{ Value, Description string }

// Editor reads texts, one after another. On a terminal that can move its cursor it
// is an editor with the keys of Readline and the settings of .inputrc; elsewhere,
// and with Accessible, it reads plain lines.
//
// Enter accepts the text. Alt-Enter begins a new line, and so does Enter in a text
// that begins with """, until another """ ends it; neither belongs to the text.
// What cannot be shown on a few lines, such as a long paste, is shown as a token,
// [text #1: 2000 lines], which the returned text replaces.
//
// The exported fields may be set until the first call of Read.
type Editor struct {
	// Complete returns what the end of the text before the cursor can become, and
	// how much of it, in bytes, a candidate replaces. It may be nil.
	Complete func(before string) (candidates []Candidate, replaces int)
	// Changed is called with the whole text whenever it has changed. It may be nil.
	Changed func(text string)
	// Quoted is called with a text that was between """ and returns what Read
	// returns instead. It may be nil.
	Quoted func(text string) string
	// History is the earlier texts; nil has none.
	History *History

	streams *terminal.Streams
	shell   *shell      // for a terminal
	plain   *lineReader // for everything else
	last    string      // the text that Changed was last called with
}

// New returns an editor on stdin and stdout. Only one may be in use.
func New(streams *terminal.Streams) *Editor { return &Editor{streams: streams} }

// Rich reports whether the text can be edited, rather than read line by line.
func (e *Editor) Rich() bool {
	s := e.streams
	switch {
	case e.shell != nil || e.plain != nil:
	case !s.InTTY || !s.OutTTY || s.Dumb || s.Accessible:
		e.plain = &lineReader{streams: s, lines: make(chan lineRead, 1)}
	default:
		e.shell = e.newShell()
	}
	return e.shell != nil
}

// Read shows prompt, which must be clean except for SGR sequences, and returns the
// text typed. The text begins with initial. Interrupts delivers Ctrl-C where the
// terminal makes a signal of it; it may be nil for a rich editor. The errors are
// ErrInterrupted, ErrTokenChanged and ErrWantsEditor, with the text so far, io.EOF,
// ctx.Err() and those of reading. The modes of the terminal are restored.
func (e *Editor) Read(ctx context.Context, prompt, initial string, interrupts <-chan os.Signal) (string, error) {
	e.streams.DrainReplies()
	if initial != "" && e.Changed != nil {
		e.Changed(initial)
	}
	if e.Rich() {
		return e.edit(ctx, prompt, initial)
	}
	return e.readPlain(ctx, prompt, initial, interrupts)
}

func (e *Editor) edit(ctx context.Context, prompt, initial string) (string, error) {
	s := e.shell
	s.lib.Prompt.Primary(func() string { return prompt })
	s.screen.indent, s.screen.cursorRow = ansi.StringWidth(prompt), 0
	e.last = initial
	if s.initial = s.folds.fold(initial); s.initial != "" {
		s.lib.Keys.Feed(true, []rune(beginKey)...)
	}
	s.keys.feed(string(e.streams.TypedAhead()))
	modes := terminal.SaveModes(e.streams.In)

	done := make(chan lineRead, 1)
	reading, end := context.WithCancel(ctx)
	defer end()
	go takeReports(reading, s.lib, s.drawn)
	go func() {
		line, err := s.lib.Readline()
		done <- lineRead{line, err}
	}()
	select {
	case <-ctx.Done():
		// Readline cannot be interrupted; the process is about to end.
		modes()
		_, _ = io.WriteString(e.streams.Out, ansi.ResetModeBracketedPaste+"\r\n")
		return e.last, ctx.Err()
	case r := <-done:
		text := s.folds.unfold(strings.Map(typed, r.text))
		switch {
		case errors.Is(r.err, errSuspended):
			suspend()
			return e.edit(ctx, prompt, text)
		case errors.Is(r.err, readline.ErrInterrupt):
			return text, ErrInterrupted
		case r.err != nil:
			return text, r.err
		case s.folds.damaged(r.text):
			return r.text, ErrTokenChanged
		}
		return e.unquoted(text), nil
	}
}

// readPlain reads lines where nothing can be edited: initial is accepted as a whole,
// by Enter, or not at all. The prompt goes to stderr, because stdout may be a file.
func (e *Editor) readPlain(ctx context.Context, prompt, initial string, interrupts <-chan os.Signal) (string, error) {
	out := e.streams.Err
	if initial != "" {
		fmt.Fprintf(out, "(Enter alone takes this:)\n%s\n", e.streams.Clean(initial))
	}
	for text := ""; ; {
		fmt.Fprint(out, prompt)
		line, err := e.plain.next(ctx, interrupts)
		if err != nil {
			fmt.Fprintln(out)
			return text, err
		}
		if text == "" && line == "" {
			return initial, nil
		}
		text += line
		e.changed(text)
		if !openQuote(text) {
			return e.unquoted(text), nil
		}
		text, prompt = text+"\n", "... "
	}
}

// Hold keeps a paste that arrives while nothing is read in one piece, until release
// is called.
func (e *Editor) Hold() (release func()) {
	if !e.Rich() {
		return func() {}
	}
	restore := e.streams.HoldInput()
	_, _ = io.WriteString(e.streams.Out, ansi.SetModeBracketedPaste)
	return func() {
		_, _ = io.WriteString(e.streams.Out, ansi.ResetModeBracketedPaste)
		restore()
	}
}

// changed reports a new text to the caller.
func (e *Editor) changed(text string) {
	if text != e.last && e.Changed != nil {
		e.Changed(text)
	}
	e.last = text
}

// unquoted returns text without the """ around it.
func (e *Editor) unquoted(text string) string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), quoteMarks)
	if !ok || !strings.HasSuffix(inner, quoteMarks) {
		return text
	}
	inner = strings.Trim(strings.TrimSuffix(inner, quoteMarks), "\n")
	if e.Quoted != nil {
		return e.Quoted(inner)
	}
	return inner
}

const quoteMarks = `"""`

// openQuote reports whether text begins with """ and does not end with it. A first
// line with both is an ordinary one.
func openQuote(text string) bool {
	after, quoted := strings.CutPrefix(strings.TrimSpace(text), quoteMarks)
	first, _, _ := strings.Cut(after, "\n")
	return quoted && !strings.Contains(first, quoteMarks) && !strings.HasSuffix(after, quoteMarks)
}

// typed drops the control characters of a stray key, such as Escape.
func typed(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}
