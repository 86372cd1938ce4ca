//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func TestWrappedFrameIsErasedAfterResize(t *testing.T) {
	_, tty := openPTY(t)
	synctest.Test(t, func(t *testing.T) {
		resize := func(columns uint16) {
			t.Helper()
			if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
				t.Fatal(err)
			}
		}
		var out screen
		shown := 0
		since := func() string {
			synctest.Wait()
			all := out.String()
			defer func() { shown = len(all) }()
			return all[shown:]
		}
		s := &Streams{Err: &out, ErrTTY: true, screens: []*os.File{tty}}
		resize(40)
		stop := s.WaitFor(Waiting{Label: "a label of some length"})
		<-time.After(spinnerDelay + spinnerPace/2)
		if got := since(); got != "\r\x1b[K| a label of some length 0s\r" {
			t.Errorf("drawn %q", got)
		}
		resize(20)
		<-time.After(spinnerPace)
		if got := since(); got != "\r\x1b[J/ a label of ... 0s\r" {
			t.Errorf("drawn on the narrower terminal: %q", got)
		}
		<-time.After(spinnerPace)
		if got := since(); got != "\r\x1b[K- a label of ... 0s\r" {
			t.Errorf("drawn next: %q", got)
		}
		resize(60)
		<-time.After(spinnerPace)
		if got := since(); got != "\r\x1b[K\\ a label of some length 0s\r" {
			t.Errorf("drawn on the wider terminal: %q", got)
		}
		resize(10)
		stop()
		if got := since(); got != "\r\x1b[J" {
			t.Errorf("erased with %q", got)
		}
	})
}

// stdinConsole returns a console whose terminal is stdin.
func stdinConsole(t *testing.T) *console {
	con := newConsole(t)
	con.streams = &Streams{In: con.tty, InTTY: true}
	return con
}

func TestQuietInputPreservesTyping(t *testing.T) {
	con := stdinConsole(t)
	restore := con.streams.QuietInput()
	if con.echoOn() {
		t.Error("the echo is on")
	}
	if state, err := attributes(con.tty); err != nil || state.Lflag&unix.ISIG == 0 {
		t.Errorf("Ctrl-C is disabled: %+v, %v", state, err)
	}
	con.enter("typed ahead\n")
	con.waitForLine() // before the echo is on again
	restore()
	if !con.echoOn() {
		t.Error("the echo is off")
	}
	restore() // a second call does nothing
	if line, err := readLine(con.tty); err != nil || line != "typed ahead" {
		t.Errorf("read %q, %v", line, err)
	}
	con.enter("seen\n")
	con.expect("seen")
	if strings.Contains(con.screen.String(), "ahead") {
		t.Errorf("the screen shows %q", con.screen.String())
	}
}

func TestQuietInputIgnoresOtherTerminals(t *testing.T) {
	con := stdinConsole(t)
	(&Streams{In: con.tty}).QuietInput()
	(&Streams{In: strings.NewReader(""), InTTY: true}).QuietInput()
	if !con.echoOn() {
		t.Error("the echo is off")
	}
	state, err := attributes(con.tty)
	if err != nil {
		t.Fatal(err)
	}
	state.Lflag &^= unix.ECHO | unix.ICANON // as in a line editor
	if err := setAttributes(con.tty, state); err != nil {
		t.Fatal(err)
	}
	con.streams.QuietInput()()
	if after, err := attributes(con.tty); err != nil || after.Lflag != state.Lflag {
		t.Errorf("flags %x, %v; want %x", after.Lflag, err, state.Lflag)
	}
}

func TestQuietInputRestoresEchoOnSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, sig) // as the program does
			defer signal.Stop(caught)
			con := stdinConsole(t)
			restore := con.streams.QuietInput()
			defer restore()
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			<-caught
			for deadline := time.Now().Add(10 * time.Second); !con.echoOn(); {
				if time.Now().After(deadline) {
					t.Fatal("the echo is still off")
				}
			}
		})
	}
}
