// Package lineedit reads what a person types: an editor with the keys of Readline
// on github.com/reeflective/readline, of which it is the only user, plain lines
// where nothing can be edited, and the history of what was typed.
//
// It must not know commands, conversations or what the text is for: its callers
// supply the prompt, the completions and the file of the history.
package lineedit

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
	"golang.org/x/term"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// What ends the reading of a text besides its acceptance. io.EOF is the third:
// Ctrl-D on an empty line, or the end of the input.
var (
	// ErrInterrupted is Ctrl-C; the text so far comes with it.
	ErrInterrupted = errors.New("interrupted")
	// ErrTokenChanged is an accepted text in which the token of a longer one was
	// changed, so that the longer one would be lost; the line comes with it.
	ErrTokenChanged = errors.New("a part of what stands for a longer text was changed")
	// ErrWantsEditor is Ctrl-X Ctrl-E; the text so far comes with it.
	ErrWantsEditor = errors.New("the text is to be opened in the editor")
)

// Candidate is what a word can be completed to.
type Candidate struct{ Value, Description string }

// Editor reads texts that a person types, one after another. On a terminal
// that can move its cursor it is an editor with the keys of Readline
// (github.com/reeflective/readline, which reads .inputrc); elsewhere, and with
// Accessible, it reads plain lines.
//
// Enter sends; Alt-Enter begins a new line, and so does Enter in a text that
// begins with """ until another """ ends it; neither belongs to the text. What
// cannot be shown on a few lines, such as a long paste, stands in the line as a
// token, [text #1: 2000 lines], and is put back when the text is read.
//
// The fields may be set until the first call of Read.
type Editor struct {
	// Complete offers what the end of the text before the cursor can become, and
	// how much of it, in bytes, a candidate takes the place of. It may be nil.
	Complete func(before string) (candidates []Candidate, replaces int)
	// Changed is called with the whole text whenever it has changed. It may be nil.
	Changed func(text string)
	// Quoted is called with a text that stood between """ and returns what Read
	// returns instead. It may be nil.
	Quoted func(text string) string
	// History holds earlier texts; nil has none.
	History *History

	streams   *terminal.Streams
	folds     folds
	shell     *readline.Shell
	indent    int           // columns of the prompt
	cursorRow int           // of the text, where the last drawing left the cursor
	plain     bool          // nothing can be edited
	initial   string        // folded
	last      string        // what Changed was told
	wants     bool          // Ctrl-X Ctrl-E was pressed
	suspends  bool          // Ctrl-Z was pressed
	drawn     chan struct{} // holds one when the line was drawn
	lines     chan lineRead
	buffered  *bufio.Reader // of In, for plain lines
	waiting   bool          // for a line that was asked for before a Ctrl-C
}

// New returns an editor on stdin and stdout. Only one may be in use.
func New(streams *terminal.Streams) *Editor {
	return &Editor{streams: streams, lines: make(chan lineRead, 1), drawn: make(chan struct{}, 1)}
}

// Rich tells whether the text can be edited, rather than read line by line.
func (e *Editor) Rich() bool {
	s := e.streams
	if e.shell == nil && !e.plain {
		e.plain = !s.InTTY || !s.OutTTY || s.Dumb || s.Accessible
		if !e.plain {
			e.shell = e.newShell()
		}
	}
	return !e.plain
}

// Read shows prompt, which must be clean but for SGR, and returns the text that is
// typed, beginning with initial. Interrupts are Ctrl-C where the terminal makes a
// signal of it; nil is fine for a rich editor. The errors are ErrInterrupted,
// ErrTokenChanged and ErrWantsEditor, with the text so far, io.EOF, ctx.Err(), and those of reading.
// Whatever comes, the terminal is as it was.
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
	e.shell.Prompt.Primary(func() string { return prompt })
	e.indent, e.cursorRow = ansi.StringWidth(prompt), 0
	e.wants, e.last = false, initial
	if e.initial = e.folds.fold(initial); e.initial != "" {
		e.shell.Keys.Feed(true, []rune(beginKey)...)
	}
	e.feed(string(e.streams.TypedAhead()))
	restore := e.remember()

	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	reading, end := context.WithCancel(ctx)
	defer end()
	go e.takeReports(reading)
	go func() {
		line, err := e.shell.Readline()
		done <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		// The read goes on until the process ends, which is now.
		restore()
		return e.last, ctx.Err()
	case r := <-done:
		text := e.folds.unfold(strings.Map(typed, r.line))
		switch {
		case e.suspends:
			e.suspends = false
			suspend()
			return e.edit(ctx, prompt, text)
		case e.wants:
			return text, ErrWantsEditor
		case errors.Is(r.err, readline.ErrInterrupt):
			return text, ErrInterrupted
		case r.err != nil:
			return text, r.err
		case e.folds.damaged(r.line) != "":
			return r.line, ErrTokenChanged
		}
		return e.unquoted(text), nil
	}
}

// Hold keeps what is pasted while nothing is read in one piece, until release is
// called.
func (e *Editor) Hold() (release func()) {
	if !e.Rich() {
		return func() {}
	}
	restore := e.streams.HoldInput()
	_, _ = io.WriteString(e.streams.Out, pasteMarksOn)
	return func() {
		_, _ = io.WriteString(e.streams.Out, pasteMarksOff)
		restore()
	}
}

// The marks around pasted text (bracketed paste, xterm), and what turns them on.
const (
	pasteBegin    = "\x1b[200~"
	pasteEnd      = "\x1b[201~"
	pasteMarksOn  = "\x1b[?2004h"
	pasteMarksOff = "\x1b[?2004l"
)

// remember returns how to bring the terminal back to its present modes, with the
// marks around pasted text (bracketed paste) off and the cursor on a new line.
func (e *Editor) remember() (restore func()) {
	stdin, ok := e.streams.In.(*os.File)
	if !ok {
		return func() {}
	}
	before, err := term.GetState(int(stdin.Fd()))
	return func() {
		if err == nil {
			_ = term.Restore(int(stdin.Fd()), before)
		}
		_, _ = io.WriteString(e.streams.Out, pasteMarksOff+"\r\n")
	}
}

// insert puts text before the cursor.
func (e *Editor) insert(text string) {
	e.shell.Cursor().InsertAt([]rune(text)...)
}

// changed tells a new text.
func (e *Editor) changed(text string) {
	if text != e.last && e.Changed != nil {
		e.Changed(text)
	}
	e.last = text
}

func (e *Editor) complete(before string) readline.Completions {
	if e.Complete == nil {
		return readline.Completions{}
	}
	candidates, replaces := e.Complete(before)
	// A list that is higher than the screen would scroll the line away.
	described := true
	if most := e.streams.Rows() - 4; most > 0 && len(candidates) > most {
		described, candidates = false, candidates[:min(len(candidates), 3*most)]
	}
	values := make([]string, 0, 2*len(candidates))
	for _, c := range candidates {
		if !described { // in columns more of them fit
			c.Description = ""
		}
		values = append(values, c.Value, e.streams.Truncate(terminal.CleanLine(c.Description), e.streams.Columns()/2))
	}
	completions := readline.CompleteValuesDescribed(values...).NoSort()
	completions.PREFIX = before[len(before)-min(replaces, len(before)):]
	return completions
}

// typed drops the control characters of a stray key, such as Escape.
func typed(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}

const quoteMarks = `"""`

// openQuote tells whether a text begins with """ and does not end with it. A first
// line with both marks is an ordinary one.
func openQuote(text string) bool {
	after, quoted := strings.CutPrefix(strings.TrimSpace(text), quoteMarks)
	first, _, _ := strings.Cut(after, "\n")
	return quoted && !strings.Contains(first, quoteMarks) && !strings.HasSuffix(after, quoteMarks)
}

// unquoted is a text without the """ around it.
func (e *Editor) unquoted(text string) string {
	trimmed := strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(trimmed, quoteMarks)
	if !ok || !strings.HasSuffix(inner, quoteMarks) {
		return text
	}
	inner = strings.Trim(strings.TrimSuffix(inner, quoteMarks), "\n")
	if e.Quoted != nil {
		return e.Quoted(inner)
	}
	return inner
}
