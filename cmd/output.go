package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// printJSON writes one JSON document: indented for a person, on one line for a pipe.
func (f *Factory) printJSON(value any) error {
	return writeError(writeJSON(f.IO.Out, value, f.IO.OutTTY))
}

// writeJSON writes a document in which no string holds a control or bidi
// character as it is: encoding/json escapes only those below U+0020.
func writeJSON(w io.Writer, value any, indent bool) error {
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

// printf writes a line of a result.
func (f *Factory) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(f.IO.Out, format, args...)
	return writeError(err)
}

// printText writes text that is not ours: cleaned on a terminal, as it is elsewhere.
func (f *Factory) printText(text string) error {
	if f.IO.OutTTY {
		text = f.IO.Clean(text)
	}
	_, err := io.WriteString(f.IO.Out, text)
	return writeError(err)
}

func writeError(err error) error {
	if err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

// pair is a line of a description: a name and its value.
type pair struct{ name, value string }

// printPairs writes aligned names and values.
func (f *Factory) printPairs(pairs []pair) error {
	width := 0
	for _, p := range pairs {
		width = max(width, len(p.name))
	}
	for _, p := range pairs {
		if err := f.printf("%-*s  %s\n", width, p.name, terminal.CleanLine(p.value)); err != nil {
			return err
		}
	}
	return nil
}

// ago is how long ago t was, in one unit.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
	return t.Local().Format("2006-01-02")
}

// page writes a text that is safe for a terminal, through the pager when it is
// long and there is one.
func (f *Factory) page(text string) error {
	defer f.leaveInterrupts()()
	return writeError(f.IO.Page(text))
}

// counted is a number with its noun: "1 turn", "2 turns".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
