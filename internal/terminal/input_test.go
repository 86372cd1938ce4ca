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

func TestAFrameThatAResizeHasWrappedIsErased(t *testing.T) {
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
			t.Errorf("drawn after the terminal was made narrower: %q", got)
		}
		<-time.After(spinnerPace)
		if got := since(); got != "\r\x1b[K- a label of ... 0s\r" {
			t.Errorf("drawn then: %q", got)
		}
		resize(60)
		<-time.After(spinnerPace)
		if got := since(); got != "\r\x1b[K\\ a label of some length 0s\r" {
			t.Errorf("drawn after the terminal was made wider: %q", got)
		}
		resize(10)
		stop()
		if got := since(); got != "\r\x1b[J" {
			t.Errorf("erased with %q", got)
		}
	})
}

// quietDesk is a desk whose terminal is stdin.
func quietDesk(t *testing.T) *desk {
	d := newDesk(t)
	d.streams = &Streams{In: d.tty, InTTY: true}
	return d
}

func TestQuietInputKeepsWhatIsTypedForLater(t *testing.T) {
	d := quietDesk(t)
	restore := d.streams.QuietInput()
	if d.echoes() {
		t.Error("what is typed would be shown")
	}
	if state, err := attributes(d.tty); err != nil || state.Lflag&unix.ISIG == 0 {
		t.Errorf("Ctrl-C would do nothing: %+v, %v", state, err)
	}
	d.types("typed ahead\n")
	d.arrives() // an echo that is on again would show it
	restore()
	if !d.echoes() {
		t.Error("the echo is off")
	}
	restore() // once more does nothing
	if line, err := readLine(d.tty); err != nil || line != "typed ahead" {
		t.Errorf("kept %q, %v", line, err)
	}
	d.types("seen\n")
	d.sees("seen")
	if strings.Contains(d.screen.String(), "ahead") {
		t.Errorf("the screen shows %q", d.screen.String())
	}
}

func TestQuietInputLeavesOtherTerminalsAlone(t *testing.T) {
	d := quietDesk(t)
	(&Streams{In: d.tty}).QuietInput()
	(&Streams{In: strings.NewReader(""), InTTY: true}).QuietInput()
	if !d.echoes() {
		t.Error("the echo is off")
	}
	state, err := attributes(d.tty)
	if err != nil {
		t.Fatal(err)
	}
	state.Lflag &^= unix.ECHO | unix.ICANON // a line editor is at work
	if err := setAttributes(d.tty, state); err != nil {
		t.Fatal(err)
	}
	d.streams.QuietInput()()
	if after, err := attributes(d.tty); err != nil || after.Lflag != state.Lflag {
		t.Errorf("flags %x, %v; want %x", after.Lflag, err, state.Lflag)
	}
}

func TestQuietInputRestoresTheTerminalAtASignal(t *testing.T) {
	for _, one := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(one.String(), func(t *testing.T) {
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, one) // as the program does
			defer signal.Stop(caught)
			d := quietDesk(t)
			restore := d.streams.QuietInput()
			defer restore()
			if err := syscall.Kill(os.Getpid(), one); err != nil {
				t.Fatal(err)
			}
			<-caught
			for deadline := time.Now().Add(10 * time.Second); !d.echoes(); {
				if time.Now().After(deadline) {
					t.Fatal("the echo stays off")
				}
			}
		})
	}
}
