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

// screen is a terminal of tmux in which a person sits. Its server, its home and
// its service are the test's own.
type screen struct {
	t       *testing.T
	home    string
	tmux    []string // the command with the socket of its server
	service *gatedService
}

// gatedService is the real service, which can be held back.
type gatedService struct {
	*faultyService
	mu   sync.Mutex
	gate chan struct{} // nil lets every request pass
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
	s.faultyService.ServeHTTP(recorder, r) // recorded at once, answered later
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

// hold keeps answers back until the returned function is called.
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

// prompts are the last messages of the requests so far.
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

// newScreen opens a terminal of 80×24 that shows nothing yet.
func newScreen(t *testing.T) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		lacking(t, "tmux")
	}
	inner, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	gated := &gatedService{faultyService: inner}
	inner.server.Config.Handler = gated
	t.Cleanup(inner.close)
	// A socket's path must be short.
	dir, err := os.MkdirTemp("", "hobnob") //nolint:usetesting // t.TempDir is too long
	if err != nil {
		t.Fatal(err)
	}
	// What ran in the terminal ends a moment after it, and writes until then.
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
	// TestMain runs the program under this name.
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

// write writes a file of the home.
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

// read reads a file of the home.
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
	if len(args) > 0 && args[0] == "kill-server" { // a cleanup, for which the test's context has ended
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

// start runs hobnob in the terminal, in place of what ran there before. The
// settings are like HOBNOB_PROFILE=work.
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

// keys presses keys by their names in tmux.
func (s *screen) keys(names ...string) {
	s.t.Helper()
	s.run(append([]string{"send-keys"}, names...)...)
}

// escape presses Escape, which vi answers with a step to the left. A key that came
// at once would make an Alt of it.
func (s *screen) escape() {
	s.t.Helper()
	_, before := s.line()
	s.keys("Escape")
	s.until("the mode of commands", func() bool {
		_, now := s.line()
		return now < before
	})
}

// types types text as it is.
func (s *screen) types(text string) {
	s.t.Helper()
	s.run("send-keys", "-l", text)
}

// paste pastes text as terminals do, in marks if hobnob asked for them.
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

// columns is how wide the programs in the terminal see it, which tmux tells them
// a while after it was resized.
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

// text is what the screen shows.
func (s *screen) text() string {
	s.t.Helper()
	return s.run("capture-pane", "-p")
}

// line is the line that the cursor is in, and the column it is in.
func (s *screen) line() (text string, column int) {
	s.t.Helper()
	var row int
	if _, err := fmt.Sscan(s.run("display-message", "-p", "#{cursor_y} #{cursor_x}"), &row, &column); err != nil {
		s.t.Fatal(err)
	}
	lines := strings.Split(s.text(), "\n")
	return lines[row], column
}

// until polls what has no event: the screen of another process.
func (s *screen) until(what string, ok func() bool) {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !ok() {
		select {
		case <-late:
			s.t.Fatalf("%s does not come; the screen:\n%s", what, s.text())
		case <-tick.C:
		}
	}
}

// shows waits until the screen shows a text.
func (s *screen) shows(text string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q", text), func() bool { return strings.Contains(s.text(), text) })
}

// prompted waits until the line of the cursor is this prompt with this text.
func (s *screen) prompted(line string) {
	s.t.Helper()
	s.until(fmt.Sprintf("the line %q", line), func() bool {
		got, _ := s.line()
		return strings.TrimRight(got, " ") == line
	})
}

// asked waits until the service was asked a question.
func (s *screen) asked(prompt string) {
	s.t.Helper()
	s.until(fmt.Sprintf("the question %.60q", prompt), func() bool { return slices.Contains(s.service.prompts(), prompt) })
}

// ended waits until hobnob has ended.
func (s *screen) ended() {
	s.t.Helper()
	s.until("the end", func() bool { return strings.TrimSpace(s.run("display-message", "-p", "#{pane_dead}")) == "1" })
}
