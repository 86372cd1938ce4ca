//go:build unix

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

// shell starts a shell with job control in the terminal.
func (s *screen) shell() {
	s.t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		skipWithout(s.t, "bash")
	}
	words := []string{"exec", "env", "-u", "TMUX", "-u", "PAGER", "-u", "LESS", "-u", "LESSSECURE", "HOME=" + s.home, "HOBNOB_TOKEN=t",
		"PATH=" + filepath.Join(s.home, "bin") + ":" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		"TERM=tmux-256color", "PS1=ready> ", bash, "--norc", "--noprofile", "-i"}
	for i := 1; i < len(words); i++ {
		words[i] = shell.Quote(words[i])
	}
	s.run("respawn-pane", "-k", strings.Join(words, " "))
	s.prompted("ready>")
}

// enters types a line into the shell.
func (s *screen) enters(line string) {
	s.t.Helper()
	s.types(line)
	s.keys("Enter")
}

// computes makes the shell print text that was not typed.
func (s *screen) computes(n int) {
	s.t.Helper()
	s.enters(fmt.Sprintf("echo '<'$((%d*1000))'>'", n))
	s.shows(fmt.Sprintf("<%d>", n*1000))
}

// clears clears the screen of the shell and waits until it is empty.
func (s *screen) clears() {
	s.t.Helper()
	s.keys("C-l")
	s.until("an empty screen", func() bool { return strings.TrimSpace(s.text()) == "ready>" })
}

// rested waits until there are no jobs, and checks that Ctrl-Z stops the next one.
func (s *screen) rested() {
	s.t.Helper()
	s.prompted("ready>")
	s.clears()
	s.enters(`echo "jobs: $(jobs | wc -l | tr -d ' ')"`)
	s.shows("jobs: 0\n")
	s.enters(`sh -c 'echo run""ning; exec cat'`)
	s.shows("running\n")
	s.keys("C-z")
	s.shows("Stopped")
	s.prompted("ready>")
	s.clears()
	s.enters("fg")
	s.shows("exec cat")
	s.keys("C-d")
	s.prompted("ready>")
}

// question writes a file with a question whose echo is longer than the screen.
func (s *screen) question() {
	s.t.Helper()
	var lines strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, "line %d\n\n", i+1)
	}
	s.write("question.md", lines.String())
}

func TestCtrlZInLess(t *testing.T) {
	if _, err := exec.LookPath("less"); err != nil {
		skipWithout(t, "less")
	}
	s := newScreen(t)
	s.question()
	s.shell()
	for _, pager := range []string{"less", "less -i"} {
		s.clears()
		s.enters("HOBNOB_PAGER='" + pager + "' hobnob -q chat < ~/question.md")
		s.shows("line 3")
		s.until("the prompt of less", func() bool {
			line, column := s.line()
			return strings.TrimRight(line, " ") == ":" && column == 1
		})
		s.keys("C-z", "G") // less receives both and ignores the first
		s.shows("line 200")
		s.shows("(END)")
		s.keys("q")
		s.prompted("ready>")
		s.computes(42)
		s.rested()
	}
}

func TestCtrlZInMore(t *testing.T) {
	if _, err := exec.LookPath("more"); err != nil {
		skipWithout(t, "more")
	}
	s := newScreen(t)
	s.question()
	s.shell()
	s.enters("HOBNOB_PAGER=more hobnob -q chat < ~/question.md")
	s.shows("line 11\n")
	s.until("the prompt of more", func() bool {
		line, column := s.line()
		return column > 0 && !strings.HasPrefix(line, "ready>") && !strings.Contains(line, "line ")
	})
	s.keys("C-z", "Space")
	s.shows("line 15\n")
	s.keys("q")
	s.prompted("ready>")
	s.computes(42)
	s.rested()
}

func TestCtrlZInCustomPager(t *testing.T) {
	s := newScreen(t)
	s.question()
	s.write("bin/custom", "#!/bin/sh\n"+`cat >/dev/null; echo reading; until read key </dev/tty; do :; done; echo "the key $key"`)
	if err := os.Chmod(filepath.Join(s.home, "bin/custom"), 0o700); err != nil { //nolint:gosec // it is executed
		t.Fatal(err)
	}
	s.shell()
	pagers := []string{"custom", "custom with options"}
	for _, pager := range pagers {
		s.clears()
		s.enters("HOBNOB_PAGER='" + pager + "' hobnob -q chat < ~/question.md")
		s.shows("reading")
		s.keys("C-z", "C-u", "x", "Enter")
		s.shows("the key x")
		s.prompted("ready>")
		s.computes(42)
		s.rested()
	}
	if got := s.service.prompts(); len(got) != len(pagers) {
		t.Errorf("%d questions were asked, want %d", len(got), len(pagers))
	}
}
