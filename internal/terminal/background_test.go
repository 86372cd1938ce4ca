//go:build unix

package terminal

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

const (
	blackResponse = "\x1b]11;rgb:0000/0000/0000\a"
	whiteResponse = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
	kindResponse  = "\x1b[?62;22c"
)

// queryResult is the result of a process that queries the background of its terminal.
type queryResult struct {
	Light    bool
	Took     time.Duration
	Left     string // what a shell would read afterwards
	Restored bool
}

// timeouts are those of a query; zero selects the default.
type timeouts struct{ response, drain time.Duration }

var (
	// inTime is long enough for a response on a slow machine.
	inTime = timeouts{10 * time.Second, 30 * time.Second}
	// expiring is long enough for a response and short enough to expire in a test.
	expiring = timeouts{2 * time.Second, 2 * time.Second}
	// late makes responses late, but not too late to be intercepted.
	late = timeouts{responseTimeout, time.Minute}
)

func (t timeouts) environment() []string {
	return []string{"HOBNOB_TEST_RESPONSE_TIMEOUT=" + t.response.String(), "HOBNOB_TEST_DRAIN_TIMEOUT=" + t.drain.String()}
}

// TestQueryProcess is the process that other tests start.
func TestQueryProcess(t *testing.T) {
	switch os.Getenv("HOBNOB_TEST_QUERY") {
	case "":
		t.Skip("runs only in other tests")
	case "background":
		// A process group of its own is a job in the background.
		command := exec.Command(os.Args[0], os.Args[1:]...)
		command.Env = append(os.Environ(), "HOBNOB_TEST_QUERY=1")
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		command.ExtraFiles = []*os.File{os.NewFile(3, "results")}
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := command.Run(); err != nil {
			t.Fatal(err)
		}
		return
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	before, err := attributes(tty)
	if err != nil {
		t.Fatal(err)
	}
	results := json.NewEncoder(os.NewFile(3, "results"))
	s := Detect(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	s.background.responseTimeout, _ = time.ParseDuration(os.Getenv("HOBNOB_TEST_RESPONSE_TIMEOUT"))
	s.background.drainTimeout, _ = time.ParseDuration(os.Getenv("HOBNOB_TEST_DRAIN_TIMEOUT"))
	start := time.Now()
	result := queryResult{Light: s.LightBackground()}
	result.Took = time.Since(start)
	afterTimeout := os.Getenv("HOBNOB_TEST_AFTER_TIMEOUT") != ""
	if afterTimeout {
		s.DrainResponses()
	}
	if err := results.Encode("queried"); err != nil {
		t.Fatal(err)
	}
	if again := s.LightBackground(); again != result.Light {
		t.Error("the second result differs")
	}
	if os.Getenv("HOBNOB_PAGER") != "" {
		s.Width, s.Height = 80, 5
		if err := s.Page(strings.Repeat("a line\n", 5)); err != nil {
			t.Error(err)
		}
	}
	s.DrainResponses()
	for deadline := time.Now().Add(time.Minute); afterTimeout && !s.background.received.complete && time.Now().Before(deadline); {
		<-time.After(time.Millisecond)
		s.DrainResponses()
	}
	after, err := attributes(tty)
	result.Restored = err == nil && *after == *before
	left := s.TypedAhead()
	if restore, err := cbreakIfIdle(tty); err != nil {
		buffer := make([]byte, 256)
		n, _ := readUntil(tty, buffer, time.Now().Add(drainTimeout))
		left = append(left, buffer[:n]...)
	} else {
		buffer := make([]byte, 256)
		n, _ := readUntil(tty, buffer, time.Now().Add(responseTimeout))
		left = append(left, buffer[:n]...)
		if err := restore(); err != nil {
			t.Error(err)
		}
	}
	result.Left = string(left)
	if err := results.Encode(result); err != nil {
		t.Fatal(err)
	}
}

// runOnPTY runs TestQueryProcess on a terminal that responds with respond, and returns
// the result and the output on the terminal. queried is closed when the process has
// received a response or timed out.
func runOnPTY(t *testing.T, env []string, typed string, respond func(terminal *os.File, queried <-chan struct{})) (queryResult, string) {
	t.Helper()
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	if _, err := terminal.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	buffer := make([]byte, 4096)
	// Linux delivers typed text to the terminal asynchronously; it has arrived when it
	// is echoed.
	for shown.Len() < len(strings.ReplaceAll(typed, "\n", "\r\n")) {
		n, err := terminal.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(buffer[:n])
	}
	results, report, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = results.Close() }()
	command := exec.Command(os.Args[0], "-test.run=^TestQueryProcess$")
	command.Env = append([]string{"TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOBNOB_TEST_QUERY=1", "GORACE=atexit_sleep_ms=0"}, env...)
	command.Stdin, command.Stdout, command.Stderr = tty, tty, tty
	command.ExtraFiles = []*os.File{report}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	_ = report.Close()
	queried := make(chan struct{})
	var result queryResult
	var failed error
	var responding, watching sync.WaitGroup
	watching.Go(func() {
		var status string
		reports := json.NewDecoder(results)
		failed = reports.Decode(&status)
		close(queried)
		if failed == nil {
			failed = reports.Decode(&result)
		}
	})
	watching.Go(func() {
		for {
			n, err := terminal.Read(buffer)
			if err != nil {
				return
			}
			queries := strings.Count(shown.String(), "\x1b[c")
			shown.Write(buffer[:n])
			if strings.Count(shown.String(), "\x1b[c") > queries {
				responding.Go(func() { respond(terminal, queried) })
			}
		}
	})
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	watching.Wait()
	responding.Wait()
	if failed != nil {
		t.Fatalf("%v; on the terminal: %q", failed, shown.String())
	}
	return result, shown.String()
}

func TestLightBackgroundQueriesTerminal(t *testing.T) {
	respond := func(parts ...string) func(*os.File, <-chan struct{}) {
		return func(terminal *os.File, _ <-chan struct{}) {
			for i, part := range parts {
				if i > 0 {
					<-time.After(time.Millisecond)
				}
				_, _ = terminal.WriteString(part)
			}
		}
	}
	respondLate := func(first, then string) func(*os.File, <-chan struct{}) {
		return func(terminal *os.File, queried <-chan struct{}) {
			_, _ = terminal.WriteString(first)
			<-queried
			_, _ = terminal.WriteString(then)
		}
	}
	for _, c := range []struct {
		name     string
		respond  func(terminal *os.File, queried <-chan struct{})
		timeouts timeouts
		light    bool
		left     string
	}{
		{name: "dark", respond: respond(blackResponse + kindResponse), timeouts: inTime},
		{name: "light", respond: respond(whiteResponse + kindResponse), timeouts: inTime, light: true},
		{name: "light in parts", respond: respond(strings.SplitAfter(whiteResponse+kindResponse, "")...), timeouts: inTime, light: true},
		{name: "light in hexadecimal notation", respond: respond("\x1b]11;#ffffdd\a" + kindResponse), timeouts: inTime, light: true},
		{name: "light with an alpha channel", respond: respond("\x1b]11;rgba:ff/ff/ff/ff\a" + kindResponse), timeouts: inTime, light: true},
		{name: "OSC 11 unsupported", respond: respond(kindResponse), timeouts: inTime},
		{name: "DA1 unsupported", respond: respond(whiteResponse), timeouts: expiring, light: true},
		{name: "no response", respond: respond()},
		{name: "late", respond: respondLate("", whiteResponse+kindResponse), timeouts: late},
		{name: "second half late", respond: respondLate(whiteResponse[:9], whiteResponse[9:]+kindResponse), timeouts: late},
		{name: "second half missing", respond: respond(whiteResponse[:9]), timeouts: expiring, left: whiteResponse[:9]}, // for the line editor
		{name: "invalid colour", respond: respond("\x1b]11;mauve\a" + kindResponse), timeouts: inTime},
		{name: "another response", respond: respond("\x1b]4;1;rgb:ff/ff/ff\a" + kindResponse), timeouts: inTime},
		{name: "keys in the meantime", respond: respond("l" + whiteResponse + "s" + kindResponse), timeouts: inTime, light: true, left: "ls"},
		{name: "arrow key in the meantime", respond: respond("\x1b[A" + blackResponse + kindResponse), timeouts: inTime, left: "\x1b[A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, shown := runOnPTY(t, c.timeouts.environment(), "", c.respond)
			if got.Light != c.light || got.Left != c.left || !got.Restored {
				t.Errorf("%+v, want light %v and %q left", got, c.light, c.left)
			}
			if got.Took >= inTime.response {
				t.Errorf("the query took %v", got.Took)
			}
			if strings.Count(shown, "\x1b]11;?") != 1 || strings.Contains(shown, "rgb") || strings.Contains(shown, "62;22") {
				t.Errorf("on the terminal: %q", shown)
			}
		})
	}
}

func TestLateResponseIsDiscarded(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []string
		left  string
	}{
		{"whole", []string{whiteResponse + kindResponse}, ""},
		{"in parts", strings.SplitAfter(whiteResponse+kindResponse, ""), ""},
		{"between keys", []string{"l" + whiteResponse + "s" + kindResponse + "\x1b[A"}, "ls\x1b[A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := append(timeouts{time.Millisecond, time.Millisecond}.environment(), "HOBNOB_TEST_AFTER_TIMEOUT=1")
			got, _ := runOnPTY(t, env, "", func(terminal *os.File, queried <-chan struct{}) {
				<-queried
				for _, part := range c.parts {
					_, _ = terminal.WriteString(part)
				}
			})
			if got.Left != c.left || !got.Restored {
				t.Errorf("%+v, want %q left", got, c.left)
			}
		})
	}
}

func TestWithoutResponses(t *testing.T) {
	for line, want := range map[string]string{
		"yes": "yes", "": "", "y" + whiteResponse: "y", blackResponse + kindResponse + "no": "no", "\x1b[12;40Ra\x1b[?1ub": "ab",
		"\x1b[A": "\x1b[A", "\x1b": "\x1b", "\x1b]": "\x1b]", "\x1b]11 apples": "\x1b]11 apples", "token" + whiteResponse[:9]: "token" + whiteResponse[:9],
	} {
		if got := WithoutResponses(line); got != want {
			t.Errorf("WithoutResponses(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestTerminalIsNotQueried(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		env         []string
	}{
		{name: "line typed ahead", typed: "ls\n"},
		{name: "partial line typed ahead", typed: "ls"},
		{name: "COLORFGBG", env: []string{"COLORFGBG=0;15"}},
		{name: "dumb terminal", env: []string{"TERM=dumb"}},
		{name: "Linux console", env: []string{"TERM=linux"}},
		{name: "GNU screen", env: []string{"TERM=screen-256color"}},
		{name: "ssh", env: []string{"SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"}},
		{name: "ssh with a terminal", env: []string{"SSH_TTY=/dev/pts/1"}},
		{name: "old ssh", env: []string{"SSH_CLIENT=192.0.2.1 50000 22"}},
		{name: "background job", env: []string{"HOBNOB_TEST_QUERY=background"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, shown := runOnPTY(t, c.env, c.typed, func(*os.File, <-chan struct{}) {})
			if strings.Contains(shown, "\x1b]") || strings.Contains(shown, "\x1b[c") {
				t.Errorf("on the terminal: %q", shown)
			}
			if got.Left != c.typed || !got.Restored {
				t.Errorf("%+v, want %q left", got, c.typed)
			}
		})
	}
}

func TestPipeIsNotQueried(t *testing.T) {
	s := Detect(nil, openPipe(t), nil, environment("TERM=xterm", "CLICOLOR_FORCE=1"))
	s.OpenTTY = func() (in, out *os.File, err error) {
		t.Error("the terminal was opened")
		return nil, nil, os.ErrInvalid
	}
	if s.LightBackground() {
		t.Error("light background in a pipe")
	}
	s.DrainResponses()
}

func TestIsLight(t *testing.T) {
	for response, want := range map[string]bool{
		"11;rgb:ffff/ffff/ffff": true, "11;rgb:0/0/0": false, "11;rgb:fd/f6/e3": true, "11;rgb:0000/2b2b/3636": false,
		"11;rgb:0/f/0": true, "11;rgb:0/0/f": false, "11;rgb:f/0/0": false, "11;#fafafa": true, "11;#101010": false,
		"11;rgb:ffff/ffff": false, "11;rgb:fffff/fffff/fffff": false, "": false, "10;rgb:f/f/f": false,
	} {
		if got := isLight(response); got != want {
			t.Errorf("isLight(%q) = %v, want %v", response, got, want)
		}
	}
}

func TestBackgroundFromEnvironment(t *testing.T) {
	for colors, want := range map[string]bool{
		"0;15": true, "0;default;7": true, "15;0": false, "15;default;8": false, "": false,
	} {
		s := &Streams{OutTTY: true, env: environment("TERM=xterm", "COLORFGBG="+colors)}
		if got := s.LightBackground(); got != want {
			t.Errorf("COLORFGBG=%s: light %v, want %v", colors, got, want)
		}
	}
}
