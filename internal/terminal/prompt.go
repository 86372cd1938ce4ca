package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// maxAnswer is the maximum length of an answer, in bytes.
const maxAnswer = 64 << 10

// ErrNoTerminal is returned by prompts if there is no terminal.
var ErrNoTerminal error = failure.New(failure.Usage, failure.Plain("run it in a terminal, or pass the answer as a flag"), "no terminal to ask on")

// Ask writes question and a space to the terminal and returns the typed line without
// leading and trailing spaces. It opens the terminal directly, so stdin and stdout stay
// free for data. The error is ErrNoTerminal, io.EOF after Ctrl-D, or ctx.Err().
func (s *Streams) Ask(ctx context.Context, question string) (string, error) {
	answer, err := s.prompt(ctx, question, false)
	return strings.TrimSpace(answer), err
}

// AskSecret is like Ask, but does not echo the answer and returns it with its spaces.
// The echo is always restored.
func (s *Streams) AskSecret(ctx context.Context, question string) (string, error) {
	return s.prompt(ctx, question, true)
}

// Confirm asks a yes-or-no question and reports whether the answer was yes. An empty
// line, Ctrl-D and the third invalid answer mean no.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	return confirm(ctx, s, question, "[y/N]", false)
}

// Offer is like Streams.Confirm, but an empty line means yes.
func Offer(ctx context.Context, s *Streams, question string) (bool, error) {
	return confirm(ctx, s, question, "[Y/n]", true)
}

func confirm(ctx context.Context, s *Streams, question, answers string, empty bool) (bool, error) {
	for range 3 {
		answer, err := s.Ask(ctx, CleanLine(question)+" "+answers)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		case "":
			return empty && err == nil, nil
		}
	}
	return false, nil
}

// PrintTTY writes lines to the terminal on which prompts appear, and wraps long ones. The
// error is ErrNoTerminal.
func (s *Streams) PrintTTY(lines ...string) error {
	in, out, err := s.TTY()
	if err != nil {
		return err
	}
	defer closeTTY(in, out)
	for _, line := range lines {
		fmt.Fprintln(out, ansi.Wrap(CleanLine(line), s.Columns(), ""))
	}
	return nil
}

// noTerminalError is ErrNoTerminal with its cause, which the message omits.
type noTerminalError struct{ err error }

func (e *noTerminalError) Error() string   { return ErrNoTerminal.Error() }
func (e *noTerminalError) Unwrap() []error { return []error{ErrNoTerminal, e.err} }

// TTY opens the controlling terminal, even if stdin and stdout are redirected. The caller
// closes in and out, which may be the same file. The error is ErrNoTerminal.
func (s *Streams) TTY() (in, out *os.File, err error) {
	s.DrainResponses()
	if in, out, err = s.openTTY(); err != nil {
		return nil, nil, &noTerminalError{err}
	}
	return in, out, nil
}

func (s *Streams) openTTY() (in, out *os.File, err error) {
	if s.OpenTTY != nil {
		return s.OpenTTY()
	}
	return openTTY()
}

func (s *Streams) prompt(ctx context.Context, question string, hidden bool) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	in, out, err := s.TTY()
	if err != nil {
		return "", err
	}
	restore := func() error { return nil }
	if hidden {
		if restore, err = disableEcho(in); err != nil {
			closeTTY(in, out)
			return "", fmt.Errorf("cannot turn off the echo: %w", err)
		}
	}
	fmt.Fprint(out, CleanLine(question)+" ")

	type reply struct {
		line string
		err  error
	}
	done := make(chan reply, 1)
	go func() {
		line, err := readLine(in)
		done <- reply{WithoutResponses(line), err}
	}()
	var r reply
	select {
	case r = <-done:
		defer closeTTY(in, out)
	case <-ctx.Done():
		r.err = ctx.Err()
		defer func() {
			// If the terminal does not support deadlines (macOS, Windows), the read ends in
			// the background when the next line is typed.
			_ = in.SetReadDeadline(time.Unix(1, 0))
			go func() {
				<-done
				closeTTY(in, out)
			}()
		}()
	}
	err = errors.Join(r.err, restore())
	if hidden || r.err != nil {
		fmt.Fprintln(out)
	}
	return r.line, err
}

// readLine reads one line from a terminal in line mode. There a read never returns more
// than a line, so text typed ahead is not lost.
func readLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, maxAnswer)).ReadString('\n')
	switch {
	case err == nil:
		return strings.TrimSuffix(line[:len(line)-1], "\r"), nil
	case len(line) == maxAnswer:
		return "", fmt.Errorf("answer too long: the limit is %d bytes", maxAnswer)
	case errors.Is(err, io.EOF) && line != "":
		return line, nil
	}
	return "", err
}

func closeTTY(in, out *os.File) {
	_ = in.Close()
	if out != in {
		_ = out.Close()
	}
}
