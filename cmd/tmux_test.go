//go:build unix

package cmd

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// screen is a tmux terminal with its own tmux server, home directory and service.
type screen struct {
	t       *testing.T
	home    string
	tmux    []string // the command with the socket of its server
	service *gatedService
}

// gatedService is the real service, whose answers can be delayed.
type gatedService struct {
	*faultyService
	mu   sync.Mutex
	gate chan struct{} // nil: no delay
}

func (s *gatedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate == nil {
		s.faultyService.ServeHTTP(w, r)
		return
	}
	recorder := httptest.NewRecorder()
	s.faultyService.ServeHTTP(recorder, r) // recorded immediately, answered later
	select {
	case <-gate:
	case <-r.Context().Done():
		return
	}
	for name, values := range recorder.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(recorder.Code)
	_, _ = w.Write(recorder.Body.Bytes())
}

// hold delays answers until release is called.
func (s *gatedService) hold() (release func()) {
	gate := make(chan struct{})
	s.mu.Lock()
	s.gate = gate
	s.mu.Unlock()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.gate = nil
		s.mu.Unlock()
		close(gate)
	})
}

// prompts returns the last message of each request.
func (s *gatedService) prompts() []string {
	s.faultyService.mu.Lock()
	defer s.faultyService.mu.Unlock()
	var out []string
	for _, r := range s.requests {
		if r.method == http.MethodPost {
			out = append(out, lastMessage(r.body))
		}
	}
	return out
}

// newScreen opens an empty terminal of 80×24.
func newScreen(t *testing.T) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		skipWithout(t, "tmux")
	}
	inner, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	gated := &gatedService{faultyService: inner}
	inner.server.Config.Handler = gated
	t.Cleanup(inner.close)
	// Socket paths must be short.
	dir, err := os.MkdirTemp("", "hobnob") //nolint:usetesting // t.TempDir is too long
	if err != nil {
		t.Fatal(err)
	}
	// Processes in the terminal exit a moment later and may write until then.
	t.Cleanup(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for late := time.After(patience); os.RemoveAll(dir) != nil; {
			select {
			case <-late:
				t.Errorf("%s cannot be removed", dir)
				return
			case <-tick.C:
			}
		}
	})
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, home: home, service: gated, tmux: []string{"tmux", "-u", "-f", "/dev/null", "-S", filepath.Join(dir, "s")}}
	bin := filepath.Join(s.home, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Under this name TestMain runs hobnob.
	if err := os.Symlink(self, filepath.Join(bin, "hobnob")); err != nil {
		t.Fatal(err)
	}
	s.write(".config/hobnob/config.yaml", fmt.Sprintf(`profile: work
profiles:
  work: {base_url: %[1]q, agent: echo, agents: {echo: %[2]s, guide: %[3]s}}
  other: {base_url: %[1]q, agent: echo, agents: {echo: %[2]s}}
`, inner.server.URL, agent.EchoID, agent.GuideID))
	s.run("new-session", "-d", "-x", "80", "-y", "24", "cat")
	t.Cleanup(func() { _ = s.command("kill-server").Run() })
	s.run("set-option", "-g", "remain-on-exit", "on")
	return s
}

// write writes a file in the home directory.
func (s *screen) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// read reads a file in the home directory.
func (s *screen) read(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.home, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func (s *screen) command(args ...string) *exec.Cmd {
	command := exec.CommandContext(s.t.Context(), s.tmux[0], slices.Concat(s.tmux[1:], args)...)
	if len(args) > 0 && args[0] == "kill-server" { // called in a cleanup, when the test's context is cancelled
		command = exec.CommandContext(context.WithoutCancel(s.t.Context()), s.tmux[0], slices.Concat(s.tmux[1:], args)...)
	}
	command.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	return command
}

func (s *screen) run(args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// start runs hobnob in the terminal and replaces the process that ran there before.
// Settings are environment variables such as HOBNOB_PROFILE=work.
func (s *screen) start(settings []string, args ...string) {
	s.t.Helper()
	words := []string{"exec", "env", "-u", "TMUX", "HOME=" + s.home, "HOBNOB_TOKEN=t", "PATH=" + filepath.Join(s.home, "bin") + ":" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		"TERM=tmux-256color", "PAGER=cat", "VISUAL=", "EDITOR=true"}
	words = slices.Concat(words, settings, []string{"hobnob"}, args)
	for i := 1; i < len(words); i++ {
		words[i] = shell.Quote(words[i])
	}
	s.run("respawn-pane", "-k", strings.Join(words, " "))
}

// chat starts an interactive chat and waits for its prompt.
func (s *screen) chat(settings ...string) {
	s.t.Helper()
	s.start(settings, "chat")
	s.shows("(echo)>")
}

// chatInEditingModes runs a test in a chat with emacs keys and in one with vi keys.
func chatInEditingModes(t *testing.T, test func(t *testing.T, s *screen, mode string)) {
	t.Helper()
	for _, mode := range []string{"emacs", "vi"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.write(".inputrc", "set editing-mode "+mode+"\n")
			s.chat()
			test(t, s, mode)
		})
	}
}

// keys presses keys by their names in tmux.
func (s *screen) keys(names ...string) {
	s.t.Helper()
	s.run(append([]string{"send-keys"}, names...)...)
}

// escape presses Escape after typed text, the end of the line, is drawn. Then it waits
// until vi mode has moved the cursor to the left, because Escape and an immediate key are
// Alt and the key.
func (s *screen) escape(typed string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q at the end of the line", typed), func() bool {
		line, _ := s.line()
		return strings.HasSuffix(strings.TrimRight(line, " "), typed)
	})
	_, before := s.line()
	for same := 0; same < 5; same++ { // until the cursor is back from the end of the line
		if _, now := s.line(); now != before {
			before, same = now, 0
		}
	}
	s.keys("Escape")
	s.until("the mode of commands", func() bool {
		_, now := s.line()
		return now < before
	})
}

// types types text literally.
func (s *screen) types(text string) {
	s.t.Helper()
	if before, ok := strings.CutSuffix(text, ";"); ok { // would end tmux's command
		text = before + `\;`
	}
	s.run("send-keys", "-l", "--", text)
}

// paste pastes text, with bracketed paste if hobnob has enabled it.
func (s *screen) paste(text string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "paste")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.run("load-buffer", file)
	s.run("paste-buffer", "-p")
}

func (s *screen) resize(columns, rows int) {
	s.t.Helper()
	s.run("resize-window", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows))
}

// columns returns the terminal width that programs see. tmux updates it some time after
// a resize.
func (s *screen) columns() int {
	s.t.Helper()
	tty, err := os.Open(strings.TrimSpace(s.run("display-message", "-p", "#{pane_tty}")))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	size, err := pty.GetsizeFull(tty)
	if err != nil {
		s.t.Fatal(err)
	}
	return int(size.Cols)
}

// text returns the content of the screen.
func (s *screen) text() string {
	s.t.Helper()
	return s.run("capture-pane", "-p")
}

// line returns the line and column of the cursor.
func (s *screen) line() (text string, column int) {
	s.t.Helper()
	var row int
	if _, err := fmt.Sscan(s.run("display-message", "-p", "#{cursor_y} #{cursor_x}"), &row, &column); err != nil {
		s.t.Fatal(err)
	}
	lines := strings.Split(s.text(), "\n")
	return lines[row], column
}

// until polls until ok returns true.
func (s *screen) until(what string, ok func() bool) {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !ok() {
		select {
		case <-late:
			s.t.Fatalf("%s did not appear; the screen:\n%s", what, s.text())
		case <-tick.C:
		}
	}
}

// shows waits until the screen contains text.
func (s *screen) shows(text string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q", text), func() bool { return strings.Contains(s.text(), text) })
}

// prompted waits until the cursor's line is line.
func (s *screen) prompted(line string) {
	s.t.Helper()
	s.until(fmt.Sprintf("the line %q", line), func() bool {
		got, _ := s.line()
		return strings.TrimRight(got, " ") == line
	})
}

// ready waits until the cursor is behind an empty prompt. Earlier prompts may still be on
// the screen.
func (s *screen) ready() {
	s.t.Helper()
	s.until("an empty prompt", func() bool {
		line, _ := s.line()
		return strings.HasSuffix(strings.TrimRight(line, " "), "(echo)>")
	})
}

// asked waits until the service has received the prompt.
func (s *screen) asked(prompt string) {
	s.t.Helper()
	s.until(fmt.Sprintf("the question %.60q", prompt), func() bool { return slices.Contains(s.service.prompts(), prompt) })
}

// ended waits until hobnob exits.
func (s *screen) ended() {
	s.t.Helper()
	s.until("the end", func() bool { return strings.TrimSpace(s.run("display-message", "-p", "#{pane_dead}")) == "1" })
}
