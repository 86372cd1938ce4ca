package terminal

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Screen is the terminal in raw mode with an empty screen, which replaces the previous
// one until Close is called. Pasted text is marked (bracketed paste), and lines that are
// too long are cut. Keys that are signals otherwise, such as Ctrl-C, are keys.
type Screen struct {
	in, out *os.File
	restore func() error
	ahead   string // keys that were typed before
	// resized receives a value when the size has changed or the process continues
	// after a stop.
	resized chan os.Signal
}

const (
	screenModes = ansi.SetModeBracketedPaste + ansi.ResetModeAutoWrap
	enterScreen = ansi.SetModeAltScreenSaveCursor + screenModes
	// Terminals without an alternate screen would continue to show the text.
	leaveScreen = ansi.ResetStyle + ansi.CursorHomePosition + ansi.EraseEntireScreen + ansi.SetModeAutoWrap + ansi.ResetModeBracketedPaste + ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor
)

// OpenScreen opens the terminal, even if stdin and stdout are redirected. The error is
// ErrNoTerminal or, if the terminal cannot show a Screen, errors.ErrUnsupported.
func OpenScreen(streams *Streams) (*Screen, error) {
	in, out, err := streams.TTY()
	if err != nil {
		return nil, err
	}
	screen := &Screen{ahead: string(streams.TypedAhead()), in: in, out: out, resized: make(chan os.Signal, 1)}
	if err := screen.enter(); err != nil {
		closeTTY(in, out)
		return nil, err
	}
	screen.watch()
	return screen, nil
}

// enter sets the modes of the terminal.
func (s *Screen) enter() (err error) {
	if s.restore, err = raw(s.in); err != nil {
		return err
	}
	if _, err = io.WriteString(s.out, enterScreen); err != nil {
		_ = s.restore()
	}
	return err
}

func (s *Screen) leave() {
	_, _ = io.WriteString(s.out, leaveScreen)
	_ = s.restore()
}

// Close restores the previous screen and the modes of the terminal.
func (s *Screen) Close() {
	s.unwatch()
	s.leave()
	closeTTY(s.in, s.out)
}

// Suspend stops the process like Ctrl-Z in a shell, with the previous screen restored
// until it continues.
func (s *Screen) Suspend() error {
	s.leave()
	Suspend()
	return s.enter()
}

// Write writes text and control sequences.
func (s *Screen) Write(p []byte) (int, error) { return s.out.Write(p) }

// Size returns the size of the terminal, in columns and rows, or 80×24 if it is unknown.
func (s *Screen) Size() (columns, rows int) {
	if columns, rows = sizeOf(s.out); columns > 0 && rows > 0 {
		return columns, rows
	}
	return defaultWidth, 24
}

// Resized receives a value when everything must be drawn again, after Renew.
func (s *Screen) Resized() <-chan os.Signal { return s.resized }

// Renew sets the modes of the terminal again, because another program may have changed
// them while this process was stopped.
func (s *Screen) Renew() {
	if _, err := raw(s.in); err == nil {
		_, _ = io.WriteString(s.out, screenModes)
	}
}

// Keys are typed keys, or the error of reading them.
type Keys struct {
	Typed string
	Err   error
}

// Read starts to read keys and returns a channel that receives them once. An Escape at
// their end is the key, not the beginning of a sequence. A read cannot be interrupted on
// all systems, so it should only be started when its keys are wanted.
func (s *Screen) Read() <-chan Keys {
	got := make(chan Keys, 1)
	keys := Keys{Typed: s.ahead}
	s.ahead = ""
	go func() {
		if keys.Typed == "" {
			buffer := make([]byte, 4096)
			var n int
			n, keys.Err = s.in.Read(buffer)
			keys.Typed = string(buffer[:n])
		}
		if strings.HasSuffix(keys.Typed, "\x1b") {
			keys.Typed += TypedWithin(s.in, EscapeTime)
		}
		got <- keys
	}()
	return got
}
