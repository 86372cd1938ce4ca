//go:build unix

package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/agent"
)

// hostileReply has all kinds of Markdown, wide characters, and terminal sequences as
// bytes, C1 controls and entities.
const hostileReply = "# Title of 標題\n\n" +
	"A **bold** paragraph, longer than the narrowest of the terminals, 中文字符不能超出右边缘。\n\n" +
	"- one\n- \x1b[31mtwo\x1b[0m\n\n> quoted \x1b[2J\x1b[1;1H\n\n" +
	"| name | meaning |\n|---|--:|\n| 標題 \x1b]52;c;aGk=\a | \u009b2J |\n| b | https://example.com/a/long/path |\n\n" +
	"---\n\n```go\nfunc main() { println(\"\x1b[8m\u202e\") }\n```\n\n" +
	"\x1b]11;?\a\x1b[c &#27;[2J &#x9b;2J \x1bPq\x1b\\ end"

// The possible contents of a stream.
const (
	unchanged = "the reply, unchanged"
	colour    = "colours, and no other sequences"
	noColour  = "no escape sequences"
	noBoxes   = "no escape sequences and no box drawing"
	ascii     = "no escape sequences, and hobnob's own text in ASCII"
	spinner   = "no escape sequences except the spinner's"
)

// slowness is the delay of the service if no spinner is expected. Otherwise the service
// answers when the spinner is shown.
const slowness = 1500 * time.Millisecond

// Checks what hobnob writes to each combination of terminals and pipes.
func TestTerminalCombinations(t *testing.T) {
	const tty, pipe = true, false
	service, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.close)
	// Rows mostly wait, so run more of them concurrently than t.Parallel allows.
	var rows sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i, c := range []struct {
		in, out, err bool
		term, locale string
		env          string
		width        int

		wantOut string
		asked   bool // the terminal is queried for its background
		wantErr string
	}{
		// In a pipe nothing is rendered, regardless of the environment.
		{tty, pipe, tty, "xterm-256color", "C.UTF-8", "", 80, unchanged, false, spinner},
		{tty, pipe, tty, "xterm-256color", "C", "", 80, unchanged, false, spinner},
		{tty, pipe, tty, "dumb", "C.UTF-8", "", 80, unchanged, false, noColour},
		{pipe, pipe, pipe, "xterm-256color", "C.UTF-8", "", 80, unchanged, false, noColour},
		{pipe, pipe, pipe, "", "C", "", 20, unchanged, false, ascii},
		{pipe, pipe, pipe, "xterm-256color", "C.UTF-8", "CLICOLOR_FORCE=1", 80, unchanged, false, noColour},
		{tty, pipe, pipe, "screen", "de_DE.ISO-8859-1", "CLICOLOR_FORCE=1", 40, unchanged, false, ascii},
		{pipe, pipe, tty, "linux", "C.UTF-8", "NO_COLOR=1", 120, unchanged, false, spinner},

		// On a terminal the reply is rendered in its width, up to 100 columns.
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "", 20, colour, true, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "", 40, colour, true, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "", 80, colour, true, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "", 120, colour, true, spinner},
		{pipe, tty, tty, "xterm-256color", "C.UTF-8", "", 80, colour, true, spinner},
		{pipe, tty, pipe, "xterm-256color", "C.UTF-8", "", 80, colour, true, noColour},

		// Some terminals are not queried, because they would print the query or because the
		// reply would reach another program.
		{tty, tty, tty, "linux", "C.UTF-8", "", 80, colour, false, spinner},
		{tty, tty, tty, "screen", "C.UTF-8", "", 80, colour, false, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "COLORFGBG=0;15", 80, colour, false, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "GLAMOUR_STYLE=light", 80, colour, false, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "SSH_TTY=/dev/pts/0", 80, colour, false, spinner},

		// NO_COLOR takes precedence over CLICOLOR_FORCE, and both over TERM.
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "NO_COLOR=1", 80, noColour, false, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "NO_COLOR=1 CLICOLOR_FORCE=1", 40, noColour, false, spinner},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "CLICOLOR=0", 40, noColour, false, spinner},
		{tty, tty, tty, "dumb", "C.UTF-8", "", 80, noColour, false, noColour},
		{tty, tty, tty, "dumb", "C.UTF-8", "CLICOLOR_FORCE=1", 80, colour, false, noColour},
		{tty, tty, tty, "", "C.UTF-8", "", 40, noColour, false, noColour},
		{pipe, tty, pipe, "", "C", "", 20, ascii, false, ascii},

		// For screen readers there are no colours and no box drawing characters.
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "ACCESSIBLE=1", 80, noBoxes, false, noColour},
		{tty, tty, tty, "xterm-256color", "C.UTF-8", "ACCESSIBLE=1 CLICOLOR_FORCE=1", 20, noBoxes, false, noColour},
		{tty, tty, tty, "dumb", "C", "ACCESSIBLE=1", 120, ascii, false, ascii},

		// Without Unicode, hobnob's own output is ASCII.
		{tty, tty, tty, "xterm-256color", "C", "", 80, ascii, false, spinner},
		{tty, tty, tty, "xterm-256color", "de_DE.ISO-8859-1", "", 40, ascii, false, spinner},
		{tty, tty, tty, "xterm-256color", "C", "CLICOLOR_FORCE=1", 120, ascii, false, spinner},
		{tty, tty, tty, "linux", "C", "NO_COLOR=1", 20, ascii, false, spinner},
	} {
		name := fmt.Sprintf("%d stdin=%v stdout=%v stderr=%v TERM=%q %s %s %d", i+1, c.in, c.out, c.err, c.term, c.locale, c.env, c.width)
		rows.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.Run(name, func(t *testing.T) {
				env := append(strings.Fields(c.env), "TERM="+c.term, "LC_ALL="+c.locale)
				out, stderr := chatOn(t, service, [3]bool{c.in, c.out, c.err}, c.width, env)
				asked := strings.Contains(out, "\x1b]11;?\a\x1b[c")
				if c.wantOut != unchanged {
					out = strings.Replace(out, "\x1b]11;?\a\x1b[c", "", 1)
					out = strings.Replace(out, lateResponse, "", 1)
					if asked != c.asked {
						t.Errorf("queried for the background: %v", asked)
					}
				}
				checkStream(t, "stdout", out, c.wantOut, min(c.width, 100))
				checkStream(t, "stderr", stderr, c.wantErr, 0)
				checkWait(t, stderr, c.err, c.wantErr == spinner, c.locale == "C.UTF-8")
				if !strings.Contains(stderr, "hobnob: usage: ") {
					t.Errorf("stderr: %q", stderr)
				}
			})
		})
	}
	rows.Wait()
}

var (
	frames        = regexp.MustCompile(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] asking `)
	asciiFrames   = regexp.MustCompile(`[|/\\-] asking `)
	anyWait       = regexp.MustCompile(`asking .*\r`)
	waitLine      = regexp.MustCompile(`(?m)^asking .*\n`)
	sgr           = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	spinnerSigns  = regexp.MustCompile(`\r\x1b\[[JK]|\r`)
	boxAndBraille = regexp.MustCompile(`[\x{2500}-\x{259f}\x{2800}-\x{28ff}]`)
)

// checkStream checks the text of a stream. Its lines may have width columns; 0 means
// any number.
func checkStream(t *testing.T, name, text, want string, width int) {
	t.Helper()
	switch want {
	case unchanged:
		if text != hostileReply+"\n" {
			t.Errorf("%s is not the reply: %q", name, text)
		}
		return
	case colour:
		if !sgr.MatchString(text) {
			t.Errorf("%s has no colours: %q", name, text)
		}
		text = sgr.ReplaceAllString(text, "")
	case spinner:
		text = spinnerSigns.ReplaceAllString(text, "")
	case noBoxes:
		if box := boxAndBraille.FindString(text); box != "" {
			t.Errorf("%s contains %q in %q", name, box, text)
		}
	case ascii:
		ours := func(r rune) bool { return r > '~' && !strings.ContainsRune(hostileReply, r) }
		if i := strings.IndexFunc(text, ours); i >= 0 {
			t.Errorf("%s is not ASCII at %d of %q", name, i, text)
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r <= 0x9f || r == '\u202e' }); i >= 0 {
		t.Errorf("%s contains %q at %d of %q", name, text[i], i, text)
	}
	for line := range strings.Lines(text) {
		if columns := ansi.StringWidth(strings.TrimSuffix(line, "\n")); width > 0 && columns > width {
			t.Errorf("%s has a line of %d columns: %q", name, columns, line)
		}
	}
}

// checkWait checks the progress output: a spinner in the characters of the locale, a
// plain line on a terminal without cursor movement, and nothing in a pipe.
func checkWait(t *testing.T, stderr string, onTerminal, spins, unicode bool) {
	t.Helper()
	want := [3]bool{onTerminal && spins && unicode, onTerminal && spins && !unicode, onTerminal && !spins}
	got := [3]bool{frames.MatchString(stderr), asciiFrames.MatchString(stderr), len(waitLine.FindAllString(stderr, -1)) == 1}
	if got != want || !onTerminal && strings.Contains(stderr, "asking ") {
		t.Errorf("Unicode frames, ASCII frames and a plain line are %v, want %v: %q", got, want, stderr)
	}
}

// chatOn asks the echo agent in a process whose three streams are separate terminals
// or pipes, and returns its stdout and stderr.
func chatOn(t *testing.T, service http.Handler, terminals [3]bool, width int, env []string) (stdout, stderr string) {
	t.Helper()
	limit := slowness
	if terminals[2] {
		limit = time.Minute
	}
	waiting, shows := context.WithCancel(t.Context())
	patient := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-waiting.Done():
		case <-time.After(limit):
		}
		service.ServeHTTP(w, r)
	}))
	defer patient.Close()
	defer shows()
	command := exec.Command("hobnob", "chat", "--usage", "--", hostileReply)
	command.Env = append([]string{
		"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "HOBNOB_PAGER=cat",
		"HOBNOB_BASE_URL=" + patient.URL, "HOBNOB_TOKEN=t", "HOBNOB_AGENT=" + agent.EchoID, "GORACE=atexit_sleep_ms=0",
	}, env...)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var texts [3]bytes.Buffer
	var reading sync.WaitGroup
	var ours [3]*os.File
	for i, isTerminal := range terminals {
		if !isTerminal {
			continue
		}
		terminal, own, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = terminal.Close() })
		if err := pty.Setsize(terminal, &pty.Winsize{Rows: 60, Cols: uint16(width)}); err != nil {
			t.Fatal(err)
		}
		ours[i] = own
		if i == 1 || !command.SysProcAttr.Setctty {
			command.SysProcAttr.Setctty, command.SysProcAttr.Ctty = true, i
		}
		reading.Go(func() { emulate(terminal, &texts[i], shows) })
	}
	// A nil *os.File in an interface is not nil.
	if ours[0] != nil {
		command.Stdin = ours[0]
	}
	command.Stdout, command.Stderr = &texts[1], &texts[2]
	if ours[1] != nil {
		command.Stdout = ours[1]
	}
	if ours[2] != nil {
		command.Stderr = ours[2]
	}
	err := command.Start()
	for _, own := range ours {
		_ = own.Close() // it may be nil
	}
	if err != nil {
		t.Fatal(err)
	}
	err = command.Wait()
	reading.Wait()
	for i := range texts {
		if terminals[i] {
			text := strings.ReplaceAll(texts[i].String(), "\r\n", "\n")
			texts[i].Reset()
			texts[i].WriteString(text)
		}
	}
	if err != nil {
		t.Errorf("%v: %s", err, texts[2].String())
	}
	return texts[1].String(), texts[2].String()
}

// lateResponse is the response of emulate as a terminal echoes it to a program that no
// longer waits for it.
const lateResponse = "^[]11;rgb:0000/0000/0000^G^[[?62c"

// emulate collects the output to a terminal, answers queries, and calls shows when the
// spinner appears.
func emulate(terminal *os.File, shown *bytes.Buffer, shows func()) {
	buffer := make([]byte, 4096)
	answered := false
	for {
		n, err := terminal.Read(buffer)
		shown.Write(buffer[:n])
		if anyWait.Match(shown.Bytes()) {
			shows()
		}
		if !answered && bytes.HasSuffix(shown.Bytes(), []byte("\x1b]11;?\a\x1b[c")) {
			answered = true
			_, _ = io.WriteString(terminal, "\x1b]11;rgb:0000/0000/0000\a\x1b[?62c")
		}
		if err != nil {
			return
		}
	}
}
