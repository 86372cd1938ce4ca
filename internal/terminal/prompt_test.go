//go:build unix

package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// desk is a person in front of a pseudo-terminal.
type desk struct {
	t        *testing.T
	keyboard *os.File
	tty      *os.File // a second handle; the prompt closes its own
	screen   strings.Builder
	streams  *Streams
}

func newDesk(t *testing.T) *desk {
	keyboard, tty := openPTY(t)
	d := &desk{t: t, keyboard: keyboard, tty: tty}
	d.streams = &Streams{OpenTTY: func() (in, out *os.File, err error) {
		f, err := os.OpenFile(tty.Name(), os.O_RDWR|unix.O_NOCTTY, 0)
		return f, f, err
	}}
	return d
}

// sees reads the screen until text has appeared past what was read before.
func (d *desk) sees(text string) {
	d.t.Helper()
	seen, deadline := "", time.Now().Add(time.Minute) // a spinner never stops by itself
	for buffer := make([]byte, 256); !strings.Contains(seen, text); {
		n, err := readUntil(d.keyboard, buffer, deadline)
		if n == 0 || err != nil || time.Now().After(deadline) {
			d.t.Fatalf("the screen shows %q and not %q: %v", seen, text, err)
		}
		seen += string(buffer[:n])
		d.screen.Write(buffer[:n])
	}
}

func (d *desk) types(text string) {
	d.t.Helper()
	if _, err := io.WriteString(d.keyboard, text); err != nil {
		d.t.Fatal(err)
	}
}

// arrives waits until a line that was typed can be read: Linux takes it from the
// keyboard to the terminal in the background.
func (d *desk) arrives() {
	d.t.Helper()
	n, polled := 0, error(unix.EINTR)
	err := control(d.tty, func(fd int) error {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for errors.Is(polled, unix.EINTR) {
			n, polled = unix.Poll(ready, 10_000)
		}
		return polled
	})
	if err != nil || n != 1 {
		d.t.Fatalf("the line does not arrive: %v", err)
	}
}

func (d *desk) echoes() bool {
	d.t.Helper()
	state, err := attributes(d.tty)
	if err != nil {
		d.t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

type outcome[T any] struct {
	value T
	err   error
}

// during runs ask while the test types.
func during[T any](ask func() (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	go func() {
		value, err := ask()
		done <- outcome[T]{value, err}
	}()
	return done
}

func TestTellWritesSafeLinesThatBreakAtASpace(t *testing.T) {
	d := newDesk(t)
	d.streams.Width = 20
	if err := d.streams.Tell("one two three four five six\x1b[2J", "seven"); err != nil {
		t.Fatal(err)
	}
	d.sees("seven")
	if got := d.screen.String(); !strings.HasPrefix(got, "one two three four\r\nfive six") || strings.Contains(got, "\x1b") {
		t.Errorf("got %q", got)
	}
	d.streams.OpenTTY = func() (in, out *os.File, err error) { return nil, nil, errors.New("none") }
	if err := d.streams.Tell(); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("got %v", err)
	}
}

func TestAskReturnsTheLineTyped(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"https://chat.example.com\n", "https://chat.example.com"},
		{"  中文 \n", "中文"},
		{"\n", ""},
		{"no newline\x04\x04", "no newline"},
	} {
		d := newDesk(t)
		done := during(func() (string, error) { return d.streams.Ask(t.Context(), "Base\x1b[2J\nURL:") })
		d.sees("Base␛[2J URL: ")
		d.types(c.typed)
		if got := <-done; got.err != nil || got.value != c.want {
			t.Errorf("typing %q gave %q, %v", c.typed, got.value, got.err)
		}
	}
}

func TestAskLeavesTheNextLineAlone(t *testing.T) {
	d := newDesk(t)
	d.types("first\nsecond\n")
	for _, want := range []string{"first", "second"} {
		if got, err := d.streams.Ask(t.Context(), "?"); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestAskEndsWithCtrlD(t *testing.T) {
	d := newDesk(t)
	done := during(func() (string, error) { return d.streams.Ask(t.Context(), "Name:") })
	d.sees("Name: ")
	d.types("\x04")
	if got := <-done; !errors.Is(got.err, io.EOF) {
		t.Errorf("got %q, %v", got.value, got.err)
	}
}

func TestAskSecretShowsNothingOfIt(t *testing.T) {
	d := newDesk(t)
	done := during(func() (string, error) { return d.streams.AskSecret(t.Context(), "Token:") })
	d.sees("Token: ")
	if d.echoes() {
		t.Error("what is typed would be shown")
	}
	d.types(" s3cret \n")
	if got := <-done; got.err != nil || got.value != " s3cret " {
		t.Errorf("got %q, %v", got.value, got.err)
	}
	d.sees("\n")
	if !d.echoes() || strings.Contains(d.screen.String(), "s3cret") {
		t.Errorf("echo %v, screen %q", d.echoes(), d.screen.String())
	}
}

func TestACancelledPromptRestoresTheTerminal(t *testing.T) {
	for name, ask := range map[string]func(*Streams, context.Context) (string, error){
		"Ask":       func(s *Streams, ctx context.Context) (string, error) { return s.Ask(ctx, "What?") },
		"AskSecret": func(s *Streams, ctx context.Context) (string, error) { return s.AskSecret(ctx, "What?") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			ctx, cancel := context.WithCancel(t.Context())
			done := during(func() (string, error) { return ask(d.streams, ctx) })
			d.sees("What? ")
			d.types("half an ans")
			cancel()
			if got := <-done; !errors.Is(got.err, context.Canceled) || got.value != "" {
				t.Errorf("got %q, %v", got.value, got.err)
			}
			if !d.echoes() {
				t.Error("the echo is off")
			}
			if _, err := ask(d.streams, ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("asking again gave %v", err)
			}
		})
	}
}

func TestConfirmMeansNoUnlessYes(t *testing.T) {
	for typed, want := range map[string]bool{
		"y\n": true, "Yes\n": true, "n\n": false, "\n": false, "\x04": false,
		"perhaps\nyes\n": true, "a\nb\nc\nyes\n": false,
	} {
		d := newDesk(t)
		d.types(typed)
		got, err := d.streams.Confirm(t.Context(), "Delete it?")
		if err != nil || got != want {
			t.Errorf("typing %q gave %v, %v; want %v", typed, got, err, want)
		}
		d.sees("Delete it? [y/N] ")
	}
}

func TestPromptsNeedATerminal(t *testing.T) {
	s := &Streams{OpenTTY: func() (in, out *os.File, err error) { return nil, nil, unix.ENXIO }}
	if _, err := s.Ask(t.Context(), "?"); !errors.Is(err, ErrNoTerminal) || !errors.Is(err, unix.ENXIO) {
		t.Errorf("Ask: %v", err)
	}
	if _, err := s.Confirm(t.Context(), "?"); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("Confirm: %v", err)
	}
	s.OpenTTY = func() (in, out *os.File, err error) {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		return null, null, err
	}
	if _, err := s.AskSecret(t.Context(), "?"); err == nil || !strings.Contains(err.Error(), "hiding") {
		t.Errorf("a secret where typing cannot be hidden: %v", err)
	}
}

func TestWaitOnARealTerminal(t *testing.T) {
	d := newDesk(t)
	s := &Streams{Err: d.tty, ErrTTY: true, UTF8: true, Width: 40}
	stop := s.WaitFor(Waiting{Label: "asking"})
	d.sees("asking ")
	stop()
	if _, err := io.WriteString(d.tty, "answer"); err != nil {
		t.Fatal(err)
	}
	d.sees(eraseLine + "answer")
}
