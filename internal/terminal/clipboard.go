package terminal

import (
	"context"
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
	// clipboardPatience bounds each way of copying: a program without its display
	// may hang, and PowerShell takes seconds to start.
	clipboardPatience = 5 * time.Second
	// maxOSC52 is, in bytes, what may be sent to a terminal at once: several take
	// 100,000 characters of base64 and no more.
	maxOSC52 = 74_994
)

// OSC52 is what Copy returns when the terminal was asked to copy.
const OSC52 = "OSC 52"

// NoClipboardError says for each way of copying why it did not work.
type NoClipboardError struct{ Tried []error }

func (e *NoClipboardError) Error() string {
	reasons := make([]string, len(e.Tried))
	for i, err := range e.Tried {
		reasons[i] = err.Error()
	}
	return "there is no clipboard here (" + strings.Join(reasons, "; ") + ")"
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
// or OSC52 for the terminal, which gives no answer. The text is what Clean
// makes of it, because it will be pasted into shells, without the newline at its
// end, which would run it there. Over ssh the terminal comes first: a program would
// copy on the wrong machine. The errors are a *NoClipboardError and that of ctx.
//
// The library for this, atotto/clipboard, is not used: it looks for its programs
// when the process starts, waits for them for ever and does not know OSC 52.
func (s *Streams) Copy(ctx context.Context, text string) (how string, err error) {
	text = strings.TrimSuffix(Clean(text), "\n")
	var tried []error
	for _, c := range s.clipboards(runtime.GOOS) {
		err := c.copy(ctx, text)
		if err == nil {
			return c.name, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		tried = append(tried, fmt.Errorf("%s: %w", c.name, err))
	}
	return "", &NoClipboardError{Tried: tried}
}

// clipboard is one way to copy.
type clipboard struct {
	name string
	copy func(ctx context.Context, text string) error
}

// clipboards lists the ways to try here, the best one first.
func (s *Streams) clipboards(goos string) []clipboard {
	var own, terminals []clipboard
	program := func(list *[]clipboard, name string, args ...string) {
		if path, err := exec.LookPath(name); err == nil {
			*list = append(*list, clipboard{name, func(ctx context.Context, text string) error {
				return feed(ctx, text, path, args...)
			}})
		}
	}
	if s.Getenv("WAYLAND_DISPLAY") != "" {
		program(&own, "wl-copy")
	}
	if s.Getenv("DISPLAY") != "" {
		program(&own, "xclip", "-selection", "clipboard", "-in")
		program(&own, "xsel", "--clipboard", "--input")
	}
	if goos == "darwin" {
		program(&own, "pbcopy")
	}
	if goos == "windows" || s.Getenv("WSL_DISTRO_NAME") != "" {
		program(&own, "powershell.exe", "-NoProfile", "-NonInteractive", "-Command",
			"Set-Clipboard -Value (New-Object IO.StreamReader([Console]::OpenStandardInput(), [Text.Encoding]::UTF8)).ReadToEnd()")
		if path, err := exec.LookPath("clip.exe"); err == nil {
			own = append(own, clipboard{"clip.exe", func(ctx context.Context, text string) error {
				return feed(ctx, toUTF16(text), path)
			}})
		}
	}
	if s.Getenv("TMUX") != "" {
		// tmux takes OSC 52 from a program only where it was told to, this always.
		program(&terminals, "tmux", "load-buffer", "-w", "-")
	}
	terminals = append(terminals, clipboard{OSC52, s.copyByTerminal})
	if s.Getenv("SSH_CONNECTION") != "" || s.Getenv("SSH_TTY") != "" {
		return append(terminals, own...)
	}
	return append(own, terminals...)
}

// feed gives a program text on its standard input. Programs that serve the
// clipboard go on in the background with the streams that they were given, so they
// get none, and away from the keys of this terminal: Ctrl-C must not end them.
func feed(ctx context.Context, text, path string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, clipboardPatience)
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	command.Stdin = strings.NewReader(text)
	command.WaitDelay = time.Second // for a child that has the input and does not read it
	command.SysProcAttr = ownSession()
	err := command.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it did not end within %s", clipboardPatience)
	}
	return err
}

// copyByTerminal asks the terminal, by the sequence OSC 52 of xterm, which tmux and
// screen pass on in a wrapping of their own.
func (s *Streams) copyByTerminal(_ context.Context, text string) error {
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
		// Depending on its settings tmux takes the one or passes on the other.
		what += sequence.Tmux().String()
	case s.Getenv("STY") != "":
		what = sequence.Screen().String()
	}
	_ = out.SetWriteDeadline(time.Now().Add(clipboardPatience)) // Ctrl-S may hold the terminal
	_, err = out.WriteString(what)
	return err
}

// toUTF16 is text in the encoding that clip.exe can tell from others, by its mark.
func toUTF16(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return b.String()
}
