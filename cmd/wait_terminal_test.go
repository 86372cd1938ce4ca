//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/agent"
)

// scriptTerminal is a terminal in which a shell runs a script.
type scriptTerminal struct {
	t        *testing.T
	service  *faultyService
	keyboard *os.File
	tty      *os.File
	shell    *exec.Cmd
	screen   chan string
	shown    string // unread output
	all      strings.Builder
}

func startScript(t *testing.T, script string) *scriptTerminal {
	t.Helper()
	service, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.close)
	service.set("hold")
	home := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(home, "hobnob")); err != nil { // TestMain runs hobnob under this name
		t.Fatal(err)
	}
	s := &scriptTerminal{t: t, service: service, shell: exec.Command("sh", "-c", script)}
	s.shell.Env = []string{"HOME=" + home, "PATH=" + home + ":" + os.Getenv("PATH"), "TERM=xterm-256color", "LC_ALL=C.UTF-8",
		"HOBNOB_BASE_URL=" + service.server.URL, "HOBNOB_TOKEN=t", "HOBNOB_AGENT=" + agent.EchoID, "GLAMOUR_STYLE=dark"}
	if s.keyboard, s.tty, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	s.shell.Stdin, s.shell.Stdout, s.shell.Stderr = s.tty, s.tty, s.tty
	s.shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.shell.Process.Kill()
		_ = s.keyboard.Close()
		_ = s.tty.Close()
	})
	s.screen = make(chan string, 1024)
	go func() {
		for buffer := make([]byte, 1024); ; {
			n, err := s.keyboard.Read(buffer)
			if err != nil {
				return
			}
			s.screen <- string(buffer[:n])
		}
	}()
	return s
}

// sees waits until text appears in the unread output, and marks the output up to it as
// read.
func (s *scriptTerminal) sees(text string) {
	s.t.Helper()
	limit := time.After(patience)
	for {
		if _, rest, ok := strings.Cut(s.shown, text); ok {
			s.shown = rest
			return
		}
		select {
		case more := <-s.screen:
			s.shown += more
			s.all.WriteString(more)
		case <-limit:
			s.t.Fatalf("%q did not appear; the screen showed %q", text, s.all.String())
		}
	}
}

func (s *scriptTerminal) types(text string) {
	s.t.Helper()
	if _, err := s.keyboard.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// echoes waits until the terminal echoes input, or until it does not.
func (s *scriptTerminal) echoes(want bool) {
	s.t.Helper()
	for limit := time.Now().Add(patience); ; {
		stty := exec.Command("stty", "-a")
		stty.Stdin = s.tty
		state, err := stty.Output()
		if err != nil {
			s.t.Fatal(err)
		}
		switch got := slices.Contains(strings.Fields(string(state)), "echo"); {
		case got == want:
			return
		case time.Now().After(limit):
			s.t.Fatalf("echo is %v, want %v; the screen showed %q", got, want, s.all.String())
		}
	}
}

func TestCtrlCStopsWaitingOnly(t *testing.T) {
	s := startScript(t, `trap : INT; hobnob chat -q --detach "a question" >/dev/null; hobnob wait; echo "code $?"; hobnob wait -r; echo "code $?"`)
	s.sees("⠙ waiting for ")
	s.echoes(false)
	s.types("typed blindly\x15\x03")
	s.sees("error: stopped by Ctrl-C; the question is still pending\r\n")
	s.sees("hint: to wait for the answer: hobnob wait ")
	s.sees("code 130")
	s.sees("⠙ waiting for ")
	s.service.set("none")
	s.sees("a question\r\n")
	s.sees("code 0")
	s.echoes(true)
	if strings.Contains(s.all.String(), "blindly") {
		t.Errorf("the screen shows the typed text: %q", s.all.String())
	}
}

func TestSecondCtrlCRestoresEcho(t *testing.T) {
	s := startScript(t, `trap : INT; hobnob chat "a question"; echo "code $?"`)
	s.sees("⠙ asking ")
	s.types("\x03\x03")
	s.sees("code ")
	s.echoes(true)
}

func TestStoppedChatRestoresTerminal(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		skipWithout(t, "bash")
	}
	s := startScript(t, `exec bash --norc --noprofile -i`)
	s.types("PS1='ready> '; bind 'set enable-bracketed-paste off'\n")
	s.sees("\rready> ")
	s.types("hobnob chat -r 'a question'; echo \"code $?\"\n")
	s.sees("⠙ asking ")
	s.echoes(false)
	s.types("\x1a")
	s.sees("Stopped")
	s.sees("ready> ")
	s.types("fg\n")
	s.sees("⠙ asking ")
	s.echoes(false)
	s.types("blindly")
	s.service.set("none")
	s.sees("a question\r\n")
	s.sees("ready> blindly") // the shell reads it
}

func TestBackgroundChatIgnoresTerminal(t *testing.T) {
	s := startScript(t, `set -m; hobnob chat -r "a question" & wait $!; echo "code $?"`)
	s.sees("⠙ asking ")
	s.echoes(true)
	s.service.set("none")
	s.sees("a question\r\n")
	s.sees("code 0")
}
