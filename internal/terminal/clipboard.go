package terminal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/aymanbagabas/go-osc52/v2"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

const (
	// clipboardTimeout limits each attempt to copy: a program without its display may
	// hang, and PowerShell takes seconds to start.
	clipboardTimeout = 5 * time.Second
	// maxOSC52 is the maximum size of a text sent to the terminal, in bytes: several
	// terminals accept 100,000 characters of base64.
	maxOSC52 = 74_994
)

// OSC52 is returned by Copy if the text was sent to the terminal.
const OSC52 = "OSC 52"

// NoClipboardError holds the errors of all attempts to copy.
type NoClipboardError struct{ Tried []error }

func (e *NoClipboardError) Error() string {
	return "no clipboard available (" + strings.ReplaceAll(errors.Join(e.Tried...).Error(), "\n", "; ") + ")"
}

func (e *NoClipboardError) Unwrap() []error { return e.Tried }

// Failure implements failure.Explainer.
func (e *NoClipboardError) Failure() failure.Failure {
	hint := "install wl-clipboard, xclip or xsel, or use a terminal that supports OSC 52"
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		hint = "copy the text shown above"
	}
	return failure.Failure{Kind: failure.NotCopied, Hint: failure.Plain(hint)}
}

// Copy copies text to the clipboard and returns how: the name of a program, or OSC52
// for the terminal, which does not confirm it. Text may be pasted into a shell, so it is
// cleaned and loses the newline at its end, which would run it. Over ssh the terminal
// comes first, because a program would copy on the wrong machine. The error is a
// *NoClipboardError or ctx.Err().
//
// The library atotto/clipboard is not used: it searches for its programs when the
// process starts, waits for them without a time limit and does not support OSC 52.
func (s *Streams) Copy(ctx context.Context, text string) (how string, err error) {
	text = strings.TrimSuffix(Clean(text), "\n")
	var tried []error
	for _, way := range clipboards(s.Getenv, runtime.GOOS) {
		var err error
		if way[0] == OSC52 {
			err = copyWithOSC52(s, text)
		} else if _, missing := exec.LookPath(way[0]); missing == nil {
			err = feed(ctx, text, way)
		} else {
			continue
		}
		if err == nil {
			return way[0], nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		tried = append(tried, fmt.Errorf("%s: %w", way[0], err))
	}
	return "", &NoClipboardError{Tried: tried}
}

// clipboards returns the methods to copy on a system, the preferred one first: the words
// of a command, whose program may be missing, or OSC52.
func clipboards(env Env, goos string) [][]string {
	var programs, terminals [][]string
	if env("WAYLAND_DISPLAY") != "" {
		programs = append(programs, []string{"wl-copy"})
	}
	if env("DISPLAY") != "" {
		programs = append(programs, []string{"xclip", "-selection", "clipboard", "-in"}, []string{"xsel", "--clipboard", "--input"})
	}
	if goos == "darwin" {
		programs = append(programs, []string{"pbcopy"})
	}
	if goos == "windows" || env("WSL_DISTRO_NAME") != "" {
		programs = append(programs, []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-Command",
			"Set-Clipboard -Value (New-Object IO.StreamReader([Console]::OpenStandardInput(), [Text.Encoding]::UTF8)).ReadToEnd()"}, []string{"clip.exe"})
	}
	if env("TMUX") != "" {
		// This always works, whereas tmux accepts OSC 52 only if configured to.
		terminals = append(terminals, []string{"tmux", "load-buffer", "-w", "-"})
	}
	terminals = append(terminals, []string{OSC52})
	if env("SSH_CONNECTION") != "" || env("SSH_TTY") != "" {
		return append(terminals, programs...)
	}
	return append(programs, terminals...)
}

// feed runs a command with text on its standard input. Programs that serve the clipboard
// continue in the background with their streams open. They get no other streams, and run
// in a new session, where Ctrl-C does not stop them.
func feed(ctx context.Context, text string, words []string) error {
	if words[0] == "clip.exe" {
		// clip.exe recognises UTF-16 by its byte order mark.
		data, _ := binary.Append(nil, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+text)))
		text = string(data)
	}
	ctx, cancel := context.WithTimeout(ctx, clipboardTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Stdin = strings.NewReader(text)
	command.WaitDelay = time.Second // a child may hold the input open without reading it
	command.SysProcAttr = newSession()
	err := command.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("timed out after %s", clipboardTimeout)
	}
	return err
}

// copyWithOSC52 sends text to the terminal in xterm's sequence OSC 52, which tmux and
// screen forward if it is wrapped for them.
func copyWithOSC52(s *Streams, text string) error {
	switch {
	case s.Dumb || s.Getenv("TERM") == "linux":
		return errors.New("this terminal has no clipboard")
	case len(text) > maxOSC52:
		return fmt.Errorf("text too long: %d bytes, limit %d", len(text), maxOSC52)
	}
	in, out, err := s.TTY()
	if err != nil {
		return err
	}
	defer closeTTY(in, out)
	sequence := osc52.New(text)
	output := sequence.String()
	switch {
	case s.Getenv("TMUX") != "":
		// Depending on its settings, tmux accepts the first or forwards the second.
		output += sequence.Tmux().String()
	case s.Getenv("STY") != "":
		output = sequence.Screen().String()
	}
	_ = out.SetWriteDeadline(time.Now().Add(clipboardTimeout)) // Ctrl-S may block the terminal
	_, err = out.WriteString(output)
	return err
}
