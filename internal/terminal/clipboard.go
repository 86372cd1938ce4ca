package terminal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
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
	for _, way := range (clipboard{s.Getenv, s.Dumb, s.TTY}).ways(runtime.GOOS) {
		err := way.copy(ctx, text)
		if err == nil {
			return way.name, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		tried = append(tried, fmt.Errorf("%s: %w", way.name, err))
	}
	return "", &NoClipboardError{Tried: tried}
}

// clipboard finds out how to copy.
type clipboard struct {
	env  Env
	dumb bool
	tty  func() (in, out *os.File, err error)
}

// way is one way to copy.
type way struct {
	name string
	copy func(ctx context.Context, text string) error
}

// ways returns the ways to try on a system, the best one first.
func (c clipboard) ways(goos string) []way {
	var own, terminals []way
	program := func(list *[]way, name string, args ...string) {
		if path, err := exec.LookPath(name); err == nil {
			*list = append(*list, way{name, func(ctx context.Context, text string) error {
				return feed(ctx, text, path, args...)
			}})
		}
	}
	if c.env("WAYLAND_DISPLAY") != "" {
		program(&own, "wl-copy")
	}
	if c.env("DISPLAY") != "" {
		program(&own, "xclip", "-selection", "clipboard", "-in")
		program(&own, "xsel", "--clipboard", "--input")
	}
	if goos == "darwin" {
		program(&own, "pbcopy")
	}
	if goos == "windows" || c.env("WSL_DISTRO_NAME") != "" {
		program(&own, "powershell.exe", "-NoProfile", "-NonInteractive", "-Command",
			"Set-Clipboard -Value (New-Object IO.StreamReader([Console]::OpenStandardInput(), [Text.Encoding]::UTF8)).ReadToEnd()")
		if path, err := exec.LookPath("clip.exe"); err == nil {
			own = append(own, way{"clip.exe", func(ctx context.Context, text string) error {
				return feed(ctx, toUTF16(text), path)
			}})
		}
	}
	if c.env("TMUX") != "" {
		// tmux accepts OSC 52 from a program only if it is configured to, this always.
		program(&terminals, "tmux", "load-buffer", "-w", "-")
	}
	terminals = append(terminals, way{OSC52, c.byTerminal})
	if c.env("SSH_CONNECTION") != "" || c.env("SSH_TTY") != "" {
		return append(terminals, own...)
	}
	return append(own, terminals...)
}

// feed runs a program with text on its standard input. Programs that serve the
// clipboard continue in the background with the streams they were given, so they get
// no others, and are detached from this terminal: Ctrl-C must not end them.
func feed(ctx context.Context, text, path string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, clipboardPatience)
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	command.Stdin = strings.NewReader(text)
	command.WaitDelay = time.Second // if a child has the input and does not read it
	command.SysProcAttr = ownSession()
	err := command.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it did not end within %s", clipboardPatience)
	}
	return err
}

// byTerminal asks the terminal, with the sequence OSC 52 of xterm, which tmux and
// screen forward if it is wrapped for them.
func (c clipboard) byTerminal(_ context.Context, text string) error {
	switch {
	case c.dumb || c.env("TERM") == "linux":
		return errors.New("this terminal has no clipboard")
	case len(text) > maxOSC52:
		return fmt.Errorf("the text has %d bytes, and a terminal takes %d", len(text), maxOSC52)
	}
	in, out, err := c.tty()
	if err != nil {
		return err
	}
	defer closeTTY(in, out)
	sequence := osc52.New(text)
	what := sequence.String()
	switch {
	case c.env("TMUX") != "":
		// Depending on its settings tmux accepts the one or forwards the other.
		what += sequence.Tmux().String()
	case c.env("STY") != "":
		what = sequence.Screen().String()
	}
	_ = out.SetWriteDeadline(time.Now().Add(clipboardPatience)) // Ctrl-S may hold the terminal
	_, err = out.WriteString(what)
	return err
}

// toUTF16 returns text in the encoding that clip.exe recognizes, by its mark.
func toUTF16(text string) string {
	data, _ := binary.Append(nil, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+text)))
	return string(data)
}
