package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Printer writes the output of commands: results to stdout, notes and progress to
// stderr.
type Printer struct {
	IO *terminal.Streams
	// Interrupts sends these signals, of SIGINT, SIGTERM and SIGHUP, to a channel until
	// restore is called. It may be nil.
	Interrupts func(signals ...os.Signal) (interrupts <-chan os.Signal, restore func())
	// Filter returns what to print instead of a JSON document: strings as text, other
	// values as JSON. It may be nil.
	Filter func(document []byte) iter.Seq2[any, error]

	flags    *Global
	selected func() string // returns the profile to name in hints, or ""

	// pause stops the spinner while a line is written, until resume is called. It
	// is nil if there is no spinner.
	pause   func() (resume func())
	wraps   bool       // lines of notes break between words
	writing sync.Mutex // guards pause and wraps: the embedded service prints notes from its own goroutine
}

// JSON writes one JSON document, or with a Filter its results, one per line. JSON is
// indented on a terminal. An object without the field version gets it.
func (p *Printer) JSON(value any) error {
	document, err := encode(nil, value)
	if err != nil {
		return err
	}
	if document = versioned(document); p.Filter != nil {
		return p.filter(document)
	}
	return OutputError(WriteJSON(p.IO.Out, document, p.IO.OutTTY))
}

// Row writes one line of JSON Lines, or with a Filter its results.
func (p *Printer) Row(line []byte) error {
	if p.Filter != nil {
		return p.filter(line)
	}
	_, err := p.IO.Out.Write(line)
	return OutputError(err)
}

// filter writes the results of p.Filter.
func (p *Printer) filter(document []byte) error {
	for result, err := range p.Filter(document) {
		if err != nil {
			return err
		}
		if text, ok := result.(string); ok {
			err = p.Text(text + "\n")
		} else {
			err = OutputError(WriteJSON(p.IO.Out, result, p.IO.OutTTY))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// JSONVersion is the version of all JSON that hobnob prints, described in docs/schemas.
// Within a version, fields are added but never removed or changed.
const JSONVersion = 1

// versioned returns a document with the field version, which only objects have.
func versioned(document json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if document[0] != '{' || json.Unmarshal(document, &fields) != nil || fields["version"] != nil {
		return document
	}
	separator := ","
	if len(fields) == 0 {
		separator = ""
	}
	return fmt.Appendf(nil, `{"version":%d%s%s`, JSONVersion, separator, document[1:])
}

// encode appends the JSON of a value, without escapes for HTML, to a buffer.
func encode(buffer []byte, value any) (json.RawMessage, error) {
	out := bytes.NewBuffer(buffer)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return out.Bytes(), err
}

// WriteJSON writes a document in which all control and bidi characters are escaped;
// encoding/json escapes only those below U+0020.
func WriteJSON(w io.Writer, value any, indent bool) error {
	document, err := encode(nil, value)
	if err != nil {
		return err
	}
	if indent {
		var indented bytes.Buffer
		if err := json.Indent(&indented, document, "", "  "); err != nil {
			return err
		}
		document = indented.Bytes()
	}
	_, err = w.Write(escape(document))
	return err
}

// EncodeJSON returns what WriteJSON writes without indent. It uses the memory of buffer, if
// that is enough.
func EncodeJSON(buffer []byte, value any) ([]byte, error) {
	document, err := encode(buffer[:0], value)
	return escape(document), err
}

// escape returns a document in which all control and bidi characters are escaped.
func escape(document []byte) []byte {
	var safe []byte
	for i := 0; i < len(document); {
		if document[i] < utf8.RuneSelf && document[i] != 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(document[i:])
		if r <= 0x9f || unicode.Is(unicode.Bidi_Control, r) {
			safe = fmt.Appendf(append(safe, document[:i]...), "\\u%04x", r)
			document, i, size = document[i+size:], 0, 0
		}
		i += size
	}
	if safe == nil {
		return document
	}
	return append(safe, document...)
}

// Printf writes a part of a result.
func (p *Printer) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(p.IO.Out, format, args...)
	return OutputError(err)
}

// Text writes text from the service or a file, cleaned on a terminal and otherwise
// unchanged.
func (p *Printer) Text(text string) error {
	_, err := io.WriteString(p.IO.Out, p.Clean(text))
	return OutputError(err)
}

// Clean returns text cleaned if stdout is a terminal, and otherwise unchanged.
func (p *Printer) Clean(text string) string {
	if p.IO.OutTTY {
		return p.IO.Clean(text)
	}
	return text
}

// Table writes a table; see terminal.Streams.Table.
func (p *Printer) Table(columns []terminal.Column, rows [][]string) error {
	return OutputError(p.IO.Table(columns, rows))
}

// WantsJSON reports whether --json or --jq was given.
func (p *Printer) WantsJSON() bool { return p.flags.JSON }

// Verbose reports whether --verbose was given.
func (p *Printer) Verbose() bool { return p.flags.Verbose }

// Confirm asks a yes/no question. It returns noTerminal if there is no terminal to
// ask on.
func (p *Printer) Confirm(ctx context.Context, question string, noTerminal error) (bool, error) {
	yes, err := p.IO.Confirm(ctx, question)
	if errors.Is(err, terminal.ErrNoTerminal) {
		return false, noTerminal
	}
	return yes, err
}

// Page writes clean text, through the pager if it is longer than the screen.
func (p *Printer) Page(text string) error {
	defer p.LeaveInterrupts()()
	return OutputError(p.IO.Page(text))
}

// OutputError returns the error for a failed write to the output, without its path
// /dev/stdout, or nil if err is nil.
func OutputError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write the output: %w", failure.Reason(err))
}

// Pairs writes aligned rows of names and values.
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

// Sprintf formats a text. Each failure.Command and failure.Hint among the arguments
// names the selected profile.
func (p *Printer) Sprintf(format string, args ...any) string {
	return failure.Hintf(format, args...).For(p.selected())
}

// Done reports a change: as a note on stderr, or with --json as a document on stdout.
func (p *Printer) Done(format string, args ...any) error {
	if p.flags.JSON {
		return p.JSON(map[string]string{"done": p.Sprintf(format, args...)})
	}
	p.Note(format, args...)
	return nil
}

// Note writes a note to stderr. The arguments may include a failure.Command. --quiet
// and --json suppress notes.
func (p *Printer) Note(format string, args ...any) {
	if !p.flags.Quiet {
		p.Line("note", p.Sprintf(format, args...))
	}
}

// Warn writes a warning to stderr, even with --quiet.
func (p *Printer) Warn(format string, args ...any) {
	p.Line("warning", p.Sprintf(format, args...))
}

// Line writes one cleaned line to stderr and pauses the spinner meanwhile. With
// --json, it writes nothing, because stderr is for the document of a failure.
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

// WrapLines turns on wrapping of notes between words.
func (p *Printer) WrapLines() {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.wraps = true
}

// Wait shows a spinner with a label until stop is called, like WaitFor.
func (p *Printer) Wait(label string) (stop func()) {
	return p.WaitFor(terminal.Waiting{Label: label})
}

// WaitFor turns off the echo of typed keys and shows a spinner until stop is called.
// With --verbose there is no spinner, because it would overwrite the requests.
func (p *Printer) WaitFor(w terminal.Waiting) (stop func()) {
	if w.Since.IsZero() {
		w.Since = time.Now()
	}
	if w.Usual != nil {
		w.Usual = sync.OnceValue(w.Usual)
	}
	return animate(p, func() (stop func()) { return p.IO.WaitFor(w) })
}

// animate turns off the echo of typed keys and shows what show shows until stop is called,
// except while a line is written. With --quiet and --verbose it shows nothing.
func animate(p *Printer, show func() (stop func())) (stop func()) {
	begin := func() (end func()) {
		restore, stop := p.IO.QuietInput(), func() {}
		if !p.flags.Quiet && !p.flags.Verbose {
			stop = show()
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

// Aside leaves the terminal to another program, such as a token command that prompts,
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

// LeaveInterrupts ignores Ctrl-C until restore is called, while another program uses
// the terminal: in Emacs, for example, it is an ordinary key.
func (p *Printer) LeaveInterrupts() (restore func()) {
	if p.Interrupts == nil {
		return func() {}
	}
	_, restore = p.Interrupts(os.Interrupt)
	return restore
}

// OrNull returns a pointer to value, or nil, which is null in JSON, for a zero value.
func OrNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// ServiceIDs are the ids and the time of a reply in the JSON of a command, null if the
// service gave none.
type ServiceIDs struct {
	ID             *string      `json:"id"`
	ConversationID *string      `json:"conversation_id"`
	Created        *json.Number `json:"created"`
}

// NewServiceIDs returns the ServiceIDs of a reply.
func NewServiceIDs(r api.Reply) ServiceIDs {
	return ServiceIDs{OrNull(r.ID), OrNull(r.ConversationID), OrNull(r.Created)}
}

// Were returns a number with its noun and verb: "1 turn was", "2 turns were".
func Were(n int, noun string) string {
	if n == 1 {
		return plural.Count(n, noun) + " was"
	}
	return plural.Count(n, noun) + " were"
}
