package lineedit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// lineReader reads lines in a goroutine, because a read from a terminal cannot be
// interrupted. After Ctrl-C, the read continues, and the next call returns its line.
type lineReader struct {
	streams  *terminal.Streams
	buffered *bufio.Reader
	lines    chan lineRead
	reading  bool
}

// lineRead is a line without its end.
type lineRead struct {
	text string
	err  error
}

// next returns the next line, or ErrInterrupted, ctx.Err() or a read error.
func (l *lineReader) next(ctx context.Context, interrupts <-chan os.Signal) (string, error) {
	if !l.reading {
		l.reading = true
		go func() { l.lines <- l.read() }()
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-interrupts:
		return "", ErrInterrupted
	case line := <-l.lines:
		l.reading = false
		return line.text, line.err
	}
}

func (l *lineReader) read() lineRead {
	if l.buffered == nil {
		l.buffered = bufio.NewReader(io.MultiReader(bytes.NewReader(l.streams.TypedAhead()), l.streams.In))
	}
	line, err := l.buffered.ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	if l.streams.InTTY {
		line = terminal.WithoutResponses(line)
	}
	if errors.Is(err, io.EOF) && line != "" {
		err = nil // the last line has no newline
	}
	return lineRead{line, err}
}
