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

// console is a pseudo-terminal and the streams of a program on it.
type console struct {
	t        *testing.T
	keyboard *os.File
	tty      *os.File // a second handle, because a prompt closes its own
	screen   strings.Builder
	streams  *Streams
}

func newConsole(t *testing.T) *console {
	keyboard, tty := openPTY(t)
	con := &console{t: t, keyboard: keyboard, tty: tty}
	con.streams = &Streams{OpenTTY: func() (in, out *os.File, err error) {
		f, err := os.OpenFile(tty.Name(), os.O_RDWR|unix.O_NOCTTY, 0)
		return f, f, err
	}}
	return con
}

// expect reads the output until it contains text. Output that was read before does not
// count.
func (con *console) expect(text string) {
	con.t.Helper()
	seen, deadline := "", time.Now().Add(time.Minute) // a spinner writes until it is stopped
	for buffer := make([]byte, 256); !strings.Contains(seen, text); {
		n, err := readUntil(con.keyboard, buffer, deadline)
		if n == 0 || err != nil || time.Now().After(deadline) {
			con.t.Fatalf("read %q, want %q: %v", seen, text, err)
		}
		seen += string(buffer[:n])
		con.screen.Write(buffer[:n])
	}
}

func (con *console) enter(text string) {
	con.t.Helper()
	if _, err := io.WriteString(con.keyboard, text); err != nil {
		con.t.Fatal(err)
	}
}

// waitForLine waits until a typed line can be read: Linux delivers it asynchronously.
func (con *console) waitForLine() {
	con.t.Helper()
	n, polled := 0, error(unix.EINTR)
	err := control(con.tty, func(fd int) error {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for errors.Is(polled, unix.EINTR) {
			n, polled = unix.Poll(ready, 10_000)
		}
		return polled
	})
	if err != nil || n != 1 {
		con.t.Fatalf("no line arrived: %v", err)
	}
}

func (con *console) echoOn() bool {
	con.t.Helper()
	state, err := attributes(con.tty)
	if err != nil {
		con.t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

type outcome[T any] struct {
	value T
	err   error
}

// start runs ask in the background.
func start[T any](ask func() (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	go func() {
		value, err := ask()
		done <- outcome[T]{value, err}
	}()
	return done
}

func TestPrintTTYCleansAndWrapsLines(t *testing.T) {
	con := newConsole(t)
	con.streams.Width = 20
	if err := con.streams.PrintTTY("one two three four five six\x1b[2J", "seven"); err != nil {
		t.Fatal(err)
	}
	con.expect("seven")
	if got := con.screen.String(); !strings.HasPrefix(got, "one two three four\r\nfive six") || strings.Contains(got, "\x1b") {
		t.Errorf("got %q", got)
	}
	con.streams.OpenTTY = func() (in, out *os.File, err error) { return nil, nil, errors.New("none") }
	if err := con.streams.PrintTTY(); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("got %v", err)
	}
}

func TestAskReturnsTypedLine(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"https://chat.example.com\n", "https://chat.example.com"},
		{"  中文 \n", "中文"},
		{"\n", ""},
		{"no newline\x04\x04", "no newline"},
	} {
		con := newConsole(t)
		done := start(func() (string, error) { return con.streams.Ask(t.Context(), "Base\x1b[2J\nURL:") })
		con.expect("Base␛[2J URL: ")
		con.enter(c.typed)
		if got := <-done; got.err != nil || got.value != c.want {
			t.Errorf("%q: got %q, %v", c.typed, got.value, got.err)
		}
	}
}

func TestAskLeavesNextLine(t *testing.T) {
	con := newConsole(t)
	con.enter("first\nsecond\n")
	for _, want := range []string{"first", "second"} {
		if got, err := con.streams.Ask(t.Context(), "?"); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestAskReturnsEOFOnCtrlD(t *testing.T) {
	con := newConsole(t)
	done := start(func() (string, error) { return con.streams.Ask(t.Context(), "Name:") })
	con.expect("Name: ")
	con.enter("\x04")
	if got := <-done; !errors.Is(got.err, io.EOF) {
		t.Errorf("got %q, %v", got.value, got.err)
	}
}

func TestAskSecretHidesTyping(t *testing.T) {
	con := newConsole(t)
	done := start(func() (string, error) { return con.streams.AskSecret(t.Context(), "Token:") })
	con.expect("Token: ")
	if con.echoOn() {
		t.Error("the echo is on")
	}
	con.enter(" s3cret \n")
	if got := <-done; got.err != nil || got.value != " s3cret " {
		t.Errorf("got %q, %v", got.value, got.err)
	}
	con.expect("\n")
	if !con.echoOn() || strings.Contains(con.screen.String(), "s3cret") {
		t.Errorf("echo %v, screen %q", con.echoOn(), con.screen.String())
	}
}

func TestCancelledPromptRestoresTerminal(t *testing.T) {
	for name, ask := range map[string]func(*Streams, context.Context) (string, error){
		"Ask":       func(s *Streams, ctx context.Context) (string, error) { return s.Ask(ctx, "What?") },
		"AskSecret": func(s *Streams, ctx context.Context) (string, error) { return s.AskSecret(ctx, "What?") },
	} {
		t.Run(name, func(t *testing.T) {
			con := newConsole(t)
			ctx, cancel := context.WithCancel(t.Context())
			done := start(func() (string, error) { return ask(con.streams, ctx) })
			con.expect("What? ")
			con.enter("half an ans")
			cancel()
			if got := <-done; !errors.Is(got.err, context.Canceled) || got.value != "" {
				t.Errorf("got %q, %v", got.value, got.err)
			}
			if !con.echoOn() {
				t.Error("the echo is off")
			}
			if _, err := ask(con.streams, ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("second call: %v", err)
			}
		})
	}
}

func TestConfirmDefaultsToNo(t *testing.T) {
	for typed, want := range map[string]bool{
		"y\n": true, "Yes\n": true, "n\n": false, "\n": false, "\x04": false,
		"perhaps\nyes\n": true, "a\nb\nc\nyes\n": false,
	} {
		con := newConsole(t)
		con.enter(typed)
		got, err := con.streams.Confirm(t.Context(), "Delete it?")
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", typed, got, err, want)
		}
		con.expect("Delete it? [y/N] ")
	}
}

func TestPromptWithoutTerminal(t *testing.T) {
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
	if _, err := s.AskSecret(t.Context(), "?"); err == nil || !strings.Contains(err.Error(), "cannot turn off the echo") {
		t.Errorf("AskSecret without echo control: %v", err)
	}
}

func TestWaitOnPTY(t *testing.T) {
	con := newConsole(t)
	s := &Streams{Err: con.tty, ErrTTY: true, UTF8: true, Width: 40}
	stop := s.WaitFor(Waiting{Label: "asking"})
	con.expect("asking ")
	stop()
	if _, err := io.WriteString(con.tty, "answer"); err != nil {
		t.Fatal(err)
	}
	con.expect(eraseLine + "answer")
}
