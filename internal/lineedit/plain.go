package lineedit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// lineRead is a line without its end.
type lineRead struct {
	text string
	err  error
}

// readPlain reads lines where nothing can be edited: initial is taken whole, or
// not at all. The prompt goes to stderr, because stdout may be a file.
func (e *Editor) readPlain(ctx context.Context, prompt, initial string, interrupts <-chan os.Signal) (string, error) {
	if initial != "" {
		fmt.Fprintf(e.streams.Err, "(Enter alone takes this:)\n%s\n", e.streams.Clean(initial))
	}
	for text := ""; ; {
		fmt.Fprint(e.streams.Err, prompt)
		if !e.waiting {
			e.waiting = true
			go func() { e.lines <- e.nextLine() }()
		}
		select {
		case <-ctx.Done():
			fmt.Fprintln(e.streams.Err)
			return text, ctx.Err()
		case <-interrupts:
			fmt.Fprintln(e.streams.Err)
			return text, ErrInterrupted
		case line := <-e.lines:
			e.waiting = false
			if errors.Is(line.err, io.EOF) && line.text != "" {
				line.err = nil // the rest of an input without a newline at its end
			}
			if line.err != nil {
				fmt.Fprintln(e.streams.Err)
				return text, line.err
			}
			if text == "" && line.text == "" {
				return initial, nil
			}
			text += line.text
			e.changed(text)
			if !openQuote(text) {
				return e.unquoted(text), nil
			}
			text, prompt = text+"\n", "... "
		}
	}
}

// nextLine reads one line. A read of a terminal cannot be stopped: after a Ctrl-C
// it goes on, and the next Read takes what comes of it.
func (e *Editor) nextLine() lineRead {
	if e.buffered == nil {
		e.buffered = bufio.NewReader(io.MultiReader(bytes.NewReader(e.streams.TypedAhead()), e.streams.In))
	}
	line, err := e.buffered.ReadString('\n')
	if err == nil || line != "" && errors.Is(err, io.EOF) {
		return lineRead{text: strings.TrimRight(line, "\r\n"), err: err}
	}
	return lineRead{err: err}
}
