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
	// clipboardPatience limits each way of copying: a program without its display may
	// hang, and PowerShell takes seconds to start.
	clipboardPatience = 5 * time.Second
	// maxOSC52 is the limit of a text sent to the terminal, in bytes: several terminals
	// accept 100,000 characters of base64.
	maxOSC52 = 74_994
)

// OSC52 is what Copy returns if the terminal was asked to copy.
const OSC52 = "OSC 52"

// NoClipboardError contains, for each way of copying, why it failed.
type NoClipboardError struct{ Tried []error }

func (e *NoClipboardError) Error() string {
	return "there is no clipboard here (" + strings.ReplaceAll(errors.Join(e.Tried...).Error(), "\n", "; ") + ")"
}

func (e *NoClipboardError) Unwrap() []error { return e.Tried }

// Failure implements failure.Explainer.
func (e *NoClipboardError) Failure() failure.Failure {
	hint := "copy it from above; install wl-clipboard, xclip or xsel, or use a terminal that takes OSC 52"
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		hint = "copy it from above"
	}
	return failure.Failure{Kind: failure.NotCopied, Hint: failure.Plain(hint)}
}

// Copy puts text on the clipboard and returns what did it: the name of a program,
// or OSC52 for the terminal, which does not confirm it. Text is cleaned, because it
// will be pasted into shells, and loses the newline at its end, which would run it
// there. Over ssh the terminal comes first: a program would copy on the wrong machine.
// The errors are a *NoClipboardError and ctx.Err().
//
// The library for this, atotto/clipboard, is not used: it looks for its programs when
// the process starts, waits for them forever and does not know OSC 52.
func (s *Streams) Copy(ctx context.Context, text string) (how string, err error) {
	text = strings.TrimSuffix(Clean(text), "\n")
	var tried []error
	for _, way := range clipboards(s.Getenv, runtime.GOOS) {
		var err error
		if way[0] == OSC52 {
			err = copyByTerminal(s, text)
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

// clipboards returns the ways to copy on a system, the best one first: the words of a
// command, whose program may be missing, or OSC52.
func clipboards(env Env, goos string) [][]string {
	var own, terminals [][]string
	if env("WAYLAND_DISPLAY") != "" {
		own = append(own, []string{"wl-copy"})
	}
	if env("DISPLAY") != "" {
		own = append(own, []string{"xclip", "-selection", "clipboard", "-in"}, []string{"xsel", "--clipboard", "--input"})
	}
	if goos == "darwin" {
		own = append(own, []string{"pbcopy"})
	}
	if goos == "windows" || env("WSL_DISTRO_NAME") != "" {
		own = append(own, []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-Command",
			"Set-Clipboard -Value (New-Object IO.StreamReader([Console]::OpenStandardInput(), [Text.Encoding]::UTF8)).ReadToEnd()"}, []string{"clip.exe"})
	}
	if env("TMUX") != "" {
		// tmux accepts OSC 52 from a program only if it is configured to, this always.
		terminals = append(terminals, []string{"tmux", "load-buffer", "-w", "-"})
	}
	terminals = append(terminals, []string{OSC52})
	if env("SSH_CONNECTION") != "" || env("SSH_TTY") != "" {
		return append(terminals, own...)
	}
	return append(own, terminals...)
}

// feed runs a command with text on its standard input. Programs that serve the
// clipboard continue in the background with the streams they were given, so they get
// no others, and are detached from this terminal: Ctrl-C must not end them.
func feed(ctx context.Context, text string, words []string) error {
	if words[0] == "clip.exe" {
		// It recognizes UTF-16 by its mark.
		data, _ := binary.Append(nil, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+text)))
		text = string(data)
	}
	ctx, cancel := context.WithTimeout(ctx, clipboardPatience)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Stdin = strings.NewReader(text)
	command.WaitDelay = time.Second // if a child has the input and does not read it
	command.SysProcAttr = ownSession()
	err := command.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it did not end within %s", clipboardPatience)
	}
	return err
}

// copyByTerminal asks the terminal, with the sequence OSC 52 of xterm, which tmux and
// screen forward if it is wrapped for them.
func copyByTerminal(s *Streams, text string) error {
	switch {
	case s.Dumb || s.Getenv("TERM") == "linux":
		return errors.New("this terminal has no clipboard")
	case len(text) > maxOSC52:
		return fmt.Errorf("the text has %d bytes, and a terminal takes %d", len(text), maxOSC52)
	}
	in, out, err := s.TTY()
	if err != nil {
		return err
	}
	defer closeTTY(in, out)
	sequence := osc52.New(text)
	what := sequence.String()
	switch {
	case s.Getenv("TMUX") != "":
		// Depending on its settings tmux accepts the one or forwards the other.
		what += sequence.Tmux().String()
	case s.Getenv("STY") != "":
		what = sequence.Screen().String()
	}
	_ = out.SetWriteDeadline(time.Now().Add(clipboardPatience)) // Ctrl-S may hold the terminal
	_, err = out.WriteString(what)
	return err
}
