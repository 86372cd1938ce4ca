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

// sitting is a person at a terminal in which a shell runs one script.
type sitting struct {
	t        *testing.T
	service  *faultyService
	keyboard *os.File
	tty      *os.File
	shell    *exec.Cmd
	screen   chan string
	shown    string // since the last sees
	all      strings.Builder
}

func sit(t *testing.T, script string) *sitting {
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
	if err := os.Symlink(self, filepath.Join(home, "hobnob")); err != nil { // TestMain runs it under this name
		t.Fatal(err)
	}
	s := &sitting{t: t, service: service, shell: exec.Command("sh", "-c", script)}
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

// sees reads the screen until text has appeared after what was seen before.
func (s *sitting) sees(text string) {
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

func (s *sitting) types(text string) {
	s.t.Helper()
	if _, err := s.keyboard.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// echoes checks whether what is typed is shown.
func (s *sitting) echoes(want bool) {
	s.t.Helper()
	stty := exec.Command("stty", "-a")
	stty.Stdin = s.tty
	state, err := stty.Output()
	if err != nil {
		s.t.Fatal(err)
	}
	if got := slices.Contains(strings.Fields(string(state)), "echo"); got != want {
		s.t.Errorf("the echo is %v, want %v; the screen showed %q", got, want, s.all.String())
	}
}

func TestCtrlCEndsTheWaitingAndNotTheQuestion(t *testing.T) {
	s := sit(t, `trap : INT; hobnob chat -q --detach "a question" >/dev/null; hobnob wait; echo "code $?"; hobnob wait -r; echo "code $?"`)
	s.sees("⠙ waiting for ")
	s.echoes(false)
	s.types("typed blindly\x15\x03")
	s.sees("error: stopped by Ctrl-C; the question goes on\r\n")
	s.sees("hint: to wait for its answer again: hobnob wait ")
	s.sees("code 130")
	s.sees("⠙ waiting for ")
	s.service.set("none")
	s.sees("a question\r\n")
	s.sees("code 0")
	s.echoes(true)
	if strings.Contains(s.all.String(), "blindly") {
		t.Errorf("the screen shows what was typed: %q", s.all.String())
	}
}

func TestASecondCtrlCLeavesATerminalThatEchoes(t *testing.T) {
	s := sit(t, `trap : INT; hobnob chat "a question"; echo "code $?"`)
	s.sees("⠙ asking ")
	s.types("\x03\x03")
	s.sees("code ")
	s.echoes(true)
}

func TestAStoppedChatGivesTheTerminalBackAndTakesItAgain(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		lacking(t, "bash")
	}
	s := sit(t, `exec bash --norc --noprofile -i`)
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
	s.types("blindly")
	s.echoes(false)
	s.service.set("none")
	s.sees("a question\r\n")
	s.sees("ready> blindly") // kept for the shell
}

func TestAChatInTheBackgroundLeavesTheTerminalAlone(t *testing.T) {
	s := sit(t, `set -m; hobnob chat -r "a question" & wait $!; echo "code $?"`)
	s.sees("⠙ asking ")
	s.echoes(true)
	s.service.set("none")
	s.sees("a question\r\n")
	s.sees("code 0")
}
