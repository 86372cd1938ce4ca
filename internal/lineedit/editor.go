// Package lineedit reads typed text: with a line editor that has the keys of Readline,
// based on github.com/reeflective/readline, or as plain lines without editing. It also
// stores the history of inputs. Callers provide the prompt, the completions and the
// path of the history.
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

// Errors of Read, in addition to io.EOF, which is Ctrl-D on an empty line or the end of
// the input.
var (
	// ErrInterrupted is returned, with the text so far, for Ctrl-C.
	ErrInterrupted = errors.New("interrupted")
	// ErrPlaceholderChanged is returned, with the line, if the placeholder of a
	// longer text was changed, because that text would be lost.
	ErrPlaceholderChanged = errors.New("the placeholder of a longer text was changed")
	// ErrWantsEditor is returned, with the text so far, for Ctrl-X Ctrl-E.
	ErrWantsEditor = errors.New("open the text in the editor")

	errSuspended = errors.New("suspended") // Ctrl-Z
)

// Candidate is a completion of a word.
type Candidate struct{ Value, Description string }

// Editor reads texts. On a terminal with cursor movement it is a line editor with the
// keys of Readline and the settings of .inputrc. Without one, or if Accessible is set,
// it reads plain lines.
//
// Enter accepts the text. Alt-Enter starts a new line, and so does Enter between """
// and """, which are not part of the text. Long text and text with control characters
// is shown as a placeholder, such as [text #1: 2000 lines], and returned in full.
//
// The exported fields may be set before the first call of Read.
type Editor struct {
	// Complete returns candidates for the text before the cursor, and the number of
	// bytes at its end that they replace. It may be nil.
	Complete func(before string) (candidates []Candidate, replaces int)
	// Changed is called with the whole text after each change. It may be nil.
	Changed func(text string)
	// Quoted converts a text between """ and """ before Read returns it. It may be
	// nil.
	Quoted func(text string) string
	// History holds the earlier texts. It may be nil.
	History *History

	streams *terminal.Streams
	shell   *shell      // the line editor, or nil
	plain   *lineReader // the reader of plain lines, or nil
	last    string      // last argument of Changed
}

// New returns an editor on stdin and stdout. Only one may be in use.
func New(streams *terminal.Streams) *Editor { return &Editor{streams: streams} }

// Rich reports whether the line editor is used, rather than plain lines.
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

// Read prints prompt, which must be clean except for SGR sequences, and returns the
// typed text, which begins with initial. The channel interrupts receives Ctrl-C if the
// terminal turns it into a signal; it may be nil for a rich editor. The error is
// ErrInterrupted, ErrPlaceholderChanged or ErrWantsEditor, with the text so far,
// io.EOF, ctx.Err() or a read error. Read restores the modes of the terminal.
func (e *Editor) Read(ctx context.Context, prompt, initial string, interrupts <-chan os.Signal) (string, error) {
	e.streams.DrainResponses()
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
		// The library cannot be interrupted, and the process is about to exit.
		modes()
		_, _ = io.WriteString(e.streams.Out, ansi.ResetModeBracketedPaste+"\r\n")
		return e.last, ctx.Err()
	case r := <-done:
		terminal.Unread(e.streams, s.keys.take()) // the next reader may be another one
		text := s.folds.unfold(strings.Map(typed, r.text))
		switch {
		case errors.Is(r.err, errSuspended):
			terminal.Suspend()
			return e.edit(ctx, prompt, text)
		case errors.Is(r.err, readline.ErrInterrupt):
			return text, ErrInterrupted
		case r.err != nil:
			return text, r.err
		case s.folds.damaged(r.text):
			return r.text, ErrPlaceholderChanged
		}
		return e.unquoted(text), nil
	}
}

// readPlain reads a text as plain lines. An empty line accepts initial; any other text
// replaces it. The prompt goes to stderr, because stdout may be a file.
func (e *Editor) readPlain(ctx context.Context, prompt, initial string, interrupts <-chan os.Signal) (string, error) {
	out := e.streams.Err
	if initial != "" {
		fmt.Fprintf(out, "(press Enter to use this text:)\n%s\n", e.streams.Clean(initial))
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

// Hold keeps typed text for the next call of Read until release is called. It keeps a
// paste in one piece.
func (e *Editor) Hold() (release func()) {
	restore := e.streams.HoldInput(!e.Rich())
	if !e.Rich() {
		return restore
	}
	_, _ = io.WriteString(e.streams.Out, ansi.SetModeBracketedPaste)
	return func() {
		_, _ = io.WriteString(e.streams.Out, ansi.ResetModeBracketedPaste)
		restore()
	}
}

// changed calls Changed if text has changed.
func (e *Editor) changed(text string) {
	if text != e.last && e.Changed != nil {
		e.Changed(text)
	}
	e.last = text
}

// unquoted returns the text between """ and """, or text itself.
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

// openQuote reports whether text begins with """ and does not end with it. A first line
// with both is not a quote.
func openQuote(text string) bool {
	after, quoted := strings.CutPrefix(strings.TrimSpace(text), quoteMarks)
	first, _, _ := strings.Cut(after, "\n")
	return quoted && !strings.Contains(first, quoteMarks) && !strings.HasSuffix(after, quoteMarks)
}

// typed drops control characters, such as Escape from an unbound key.
func typed(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}
