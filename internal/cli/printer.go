package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Printer writes what a command has to say: results to stdout, notes and
// progress to stderr. Every error of writing a result names the output.
type Printer struct {
	IO *terminal.Streams
	// Interrupts sends each SIGINT to a channel until restore is called. Nil has
	// none.
	Interrupts func() (interrupts <-chan os.Signal, restore func())

	flags    *Global
	selected func() string // the profile that hints have to name, or ""

	// pause stops the spinner while a line is written; it returns what starts
	// it again. Nil when none runs.
	pause   func() (resume func())
	wraps   bool       // lines of notes break between words
	writing sync.Mutex // guards pause and wraps: the embedded service notes from its own goroutine
}

// JSON writes one JSON document: indented for a person, on one line for a pipe.
func (p *Printer) JSON(value any) error {
	return OutputError(WriteJSON(p.IO.Out, value, p.IO.OutTTY))
}

// WriteJSON writes a document in which no string holds a control or bidi
// character as it is: encoding/json escapes only those below U+0020.
func WriteJSON(w io.Writer, value any, indent bool) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if indent {
		encoder.SetIndent("", "  ")
	}
	if err := encoder.Encode(value); err != nil {
		return err
	}
	var safe strings.Builder
	for _, r := range out.String() {
		if r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Bidi_Control, r) {
			fmt.Fprintf(&safe, "\\u%04x", r)
		} else {
			safe.WriteRune(r)
		}
	}
	_, err := io.WriteString(w, safe.String())
	return err
}

// Printf writes a line of a result.
func (p *Printer) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(p.IO.Out, format, args...)
	return OutputError(err)
}

// Text writes text that is not hobnob's own: cleaned on a terminal, unchanged
// elsewhere.
func (p *Printer) Text(text string) error {
	_, err := io.WriteString(p.IO.Out, p.Clean(text))
	return OutputError(err)
}

// Clean returns text as Text writes it.
func (p *Printer) Clean(text string) string {
	if p.IO.OutTTY {
		return p.IO.Clean(text)
	}
	return text
}

// Table writes a table, see terminal.Streams.Table.
func (p *Printer) Table(columns []terminal.Column, rows [][]string) error {
	return OutputError(p.IO.Table(columns, rows))
}

// WantsJSON reports whether the result has to be one JSON document.
func (p *Printer) WantsJSON() bool { return p.flags.JSON }

// Verbose reports whether the user asked for more than usual.
func (p *Printer) Verbose() bool { return p.flags.Verbose }

// Confirm asks a question that yes or no answers. Where there is no terminal to
// ask on, the error is noTerminal.
func (p *Printer) Confirm(ctx context.Context, question string, noTerminal error) (bool, error) {
	yes, err := p.IO.Confirm(ctx, question)
	if errors.Is(err, terminal.ErrNoTerminal) {
		return false, noTerminal
	}
	return yes, err
}

// Page writes a text that is safe for a terminal, through the pager when it is
// longer than the screen and there is one.
func (p *Printer) Page(text string) error {
	defer p.LeaveInterrupts()()
	return OutputError(p.IO.Page(text))
}

// OutputError says of an error, unless it is nil, that writing the output failed.
func OutputError(err error) error {
	if err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

// Pairs writes names and their values, aligned.
func (p *Printer) Pairs(pairs [][2]string) error {
	width := 0
	for _, pair := range pairs {
		width = max(width, len(pair[0]))
	}
	for _, pair := range pairs {
		if err := p.Printf("%-*s  %s\n", width, pair[0], terminal.CleanLine(pair[1])); err != nil {
			return err
		}
	}
	return nil
}

// Sprintf returns a text in which every failure.Command and failure.Hint among
// the arguments names the profile that the user chose.
func (p *Printer) Sprintf(format string, args ...any) string {
	return failure.Hintf(format, args...).For(p.selected())
}

// Done reports what was changed: on stderr, because stdout is for results, or as
// the document that --json promises.
func (p *Printer) Done(format string, args ...any) error {
	if p.flags.JSON {
		return p.JSON(map[string]string{"done": p.Sprintf(format, args...)})
	}
	p.Note(format, args...)
	return nil
}

// Note writes a line on stderr that is no error. Among the arguments may be a
// failure.Command. --quiet leaves it out, and so does --json, where stderr is for
// the one document of a failure.
func (p *Printer) Note(format string, args ...any) {
	if !p.flags.Quiet {
		p.Line("note", p.Sprintf(format, args...))
	}
}

// Warn is Note for what even --quiet must not hide.
func (p *Printer) Warn(format string, args ...any) {
	p.Line("warning", p.Sprintf(format, args...))
}

// Line writes one line to stderr, cleaned, around the spinner. With --json it
// writes nothing.
func (p *Printer) Line(word, text string) {
	if p.flags.JSON {
		return
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.pause != nil {
		defer p.pause()()
	}
	text = fmt.Sprintf("hobnob: %s: %s", word, p.IO.CleanLine(text))
	if p.wraps && p.IO.ErrTTY {
		text = terminal.Wrap(text, p.IO.Columns(), 0)
	}
	fmt.Fprintln(p.IO.Err, text)
}

// WrapLines makes the lines of notes break between words from now on.
func (p *Printer) WrapLines() {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.wraps = true
}

// Wait shows a spinner with a label until stop is called.
func (p *Printer) Wait(label string) (stop func()) {
	return p.WaitFor(terminal.Waiting{Label: label})
}

// WaitFor hides what is typed and shows the spinner until stop is called.
// Requests shown by --verbose would be drawn over, so there is no spinner then.
func (p *Printer) WaitFor(w terminal.Waiting) (stop func()) {
	if w.Since.IsZero() {
		w.Since = time.Now()
	}
	if w.Usual != nil {
		w.Usual = sync.OnceValue(w.Usual)
	}
	begin := func() (end func()) {
		restore, stop := p.IO.QuietInput(), func() {}
		if !p.flags.Quiet && !p.flags.Verbose {
			stop = p.IO.WaitFor(w)
		}
		return func() {
			stop()
			restore()
		}
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	current := begin()
	p.pause = func() func() {
		current()
		return func() { current = begin() }
	}
	return func() {
		p.writing.Lock()
		defer p.writing.Unlock()
		p.pause = nil
		current()
	}
}

// Aside gives the terminal to another program, such as a token command that asks,
// until resume is called.
func (p *Printer) Aside() (resume func()) {
	p.writing.Lock()
	again := func() {}
	if p.pause != nil {
		again = p.pause()
	}
	return func() {
		again()
		p.writing.Unlock()
	}
}

// LeaveInterrupts leaves Ctrl-C to a program that has the terminal, until restore
// is called: for Emacs it is a key and no wish to end hobnob.
func (p *Printer) LeaveInterrupts() (restore func()) {
	if p.Interrupts == nil {
		return func() {}
	}
	_, restore = p.Interrupts()
	return restore
}

// Counted returns a number with its noun: "1 turn", "2 turns".
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// OrNull makes a zero value null in JSON.
func OrNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// Were returns a number with its noun and verb: "1 turn was", "2 turns were".
func Were(n int, noun string) string {
	if n == 1 {
		return Counted(n, noun) + " was"
	}
	return Counted(n, noun) + " were"
}
