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

// maxAnswer is the limit of an answer, in bytes.
const maxAnswer = 64 << 10

// ErrNoTerminal means that there is no terminal on which the user could answer.
var ErrNoTerminal error = failure.New(failure.Usage, failure.Plain("there is no terminal to ask on; give the answer as a flag"), "no terminal to ask on")

// Ask writes question and a space to the terminal and returns the line typed, without
// the spaces around it. It uses the terminal itself, so that stdin and stdout stay
// free for data. The errors are ErrNoTerminal, io.EOF for Ctrl-D, and ctx.Err().
func (s *Streams) Ask(ctx context.Context, question string) (string, error) {
	answer, err := s.prompt(ctx, question, false)
	return strings.TrimSpace(answer), err
}

// AskSecret is Ask with the typing hidden, and with spaces. When it returns, typing is
// visible again in any case.
func (s *Streams) AskSecret(ctx context.Context, question string) (string, error) {
	return s.prompt(ctx, question, true)
}

// Confirm asks for a yes or a no. Enter alone and Ctrl-D mean no, and so does
// the third answer that is neither.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	for range 3 {
		answer, err := s.Ask(ctx, CleanLine(question)+" [y/N]")
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
	}
	return false, nil
}

// Tell writes lines to the terminal of the prompts and breaks long ones at a space. The
// error is ErrNoTerminal.
func (s *Streams) Tell(lines ...string) error {
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

// TTY opens the terminal itself, even if stdin and stdout are redirected. The caller
// closes both files, which may be one. The error is ErrNoTerminal.
func (s *Streams) TTY() (in, out *os.File, err error) {
	s.DrainReplies()
	open := s.OpenTTY
	if open == nil {
		open = openTTY
	}
	if in, out, err = open(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	return in, out, nil
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
		if restore, err = hideTyping(in); err != nil {
			closeTTY(in, out)
			return "", fmt.Errorf("hiding what is typed: %w", err)
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
		done <- reply{line, err}
	}()
	var r reply
	select {
	case r = <-done:
		defer closeTTY(in, out)
	case <-ctx.Done():
		r.err = ctx.Err()
		defer func() {
			// Where a terminal has no deadline (macOS, Windows) the read ends in the
			// background, with the next line typed.
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

// readLine reads one line of a terminal in line mode, where a read never returns more,
// so that nothing typed ahead is lost.
func readLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, maxAnswer)).ReadString('\n')
	switch {
	case err == nil:
		return strings.TrimSuffix(line[:len(line)-1], "\r"), nil
	case len(line) == maxAnswer:
		return "", fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
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
