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
	blackReply = "\x1b]11;rgb:0000/0000/0000\a"
	whiteReply = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
	kindReply  = "\x1b[?62;22c"
)

// asker is what a process found out that asks a terminal for its background.
type asker struct {
	Light    bool
	Took     time.Duration
	Left     string // what a shell would read after it
	Restored bool
}

// limits are how long an asker waits; zero is as long as it really does.
type limits struct{ answer, reply time.Duration }

var (
	// What is answered in time is so on a slow machine, too.
	inTime = limits{10 * time.Second, 30 * time.Second}
	// The answer is waited for, and then not for long: the machine may be slow, and
	// the test should not be.
	waitedFor = limits{2 * time.Second, 2 * time.Second}
	// What is sent once the question is given up is late, and still kept from showing up.
	late = limits{answerLimit, time.Minute}
)

func (l limits) environment() []string {
	return []string{"HOBNOB_TEST_ANSWER_LIMIT=" + l.answer.String(), "HOBNOB_TEST_REPLY_LIMIT=" + l.reply.String()}
}

// TestAskerProcess is no test of its own but the process of the others.
func TestAskerProcess(t *testing.T) {
	switch os.Getenv("HOBNOB_TEST_ASKER") {
	case "":
		t.Skip("the process of another test")
	case "background":
		// Behind the back of the terminal's foreground: a job that was put there.
		command := exec.Command(os.Args[0], os.Args[1:]...)
		command.Env = append(os.Environ(), "HOBNOB_TEST_ASKER=1")
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
	s.background.answerLimit, _ = time.ParseDuration(os.Getenv("HOBNOB_TEST_ANSWER_LIMIT"))
	s.background.replyLimit, _ = time.ParseDuration(os.Getenv("HOBNOB_TEST_REPLY_LIMIT"))
	start := time.Now()
	result := asker{Light: s.LightBackground()}
	result.Took = time.Since(start)
	if err := results.Encode("asked"); err != nil {
		t.Fatal(err)
	}
	if again := s.LightBackground(); again != result.Light {
		t.Error("the second answer differs")
	}
	if os.Getenv("HOBNOB_PAGER") != "" {
		s.Width, s.Height = 80, 5
		if err := s.Page(strings.Repeat("a line\n", 5)); err != nil {
			t.Error(err)
		}
	}
	s.DrainReplies()
	after, err := attributes(tty)
	result.Restored = err == nil && *after == *before
	left := s.TypedAhead()
	if restore, err := quietly(tty); err != nil {
		buffer := make([]byte, 256)
		n, _ := readUntil(tty, buffer, time.Now().Add(replyLimit))
		left = append(left, buffer[:n]...)
	} else {
		buffer := make([]byte, 256)
		n, _ := readUntil(tty, buffer, time.Now().Add(answerLimit))
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

// onPTY runs an asker on a terminal that answers with answer, and returns what
// the asker wrote besides. asked is closed when the asker has its answer or none.
func onPTY(t *testing.T, env []string, typed string, answer func(terminal *os.File, asked <-chan struct{})) (asker, string) {
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
	// Linux takes what is typed to the terminal in the background; it is there when
	// its echo is back.
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
	command := exec.Command(os.Args[0], "-test.run=^TestAskerProcess$")
	command.Env = append([]string{"TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOBNOB_TEST_ASKER=1", "GORACE=atexit_sleep_ms=0"}, env...)
	command.Stdin, command.Stdout, command.Stderr = tty, tty, tty
	command.ExtraFiles = []*os.File{report}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	_ = report.Close()
	asked := make(chan struct{})
	var result asker
	var failed error
	var answering, watching sync.WaitGroup
	watching.Go(func() {
		var told string
		said := json.NewDecoder(results)
		failed = said.Decode(&told)
		close(asked)
		if failed == nil {
			failed = said.Decode(&result)
		}
	})
	watching.Go(func() {
		for {
			n, err := terminal.Read(buffer)
			if err != nil {
				return
			}
			questions := strings.Count(shown.String(), "\x1b[c")
			shown.Write(buffer[:n])
			if strings.Count(shown.String(), "\x1b[c") > questions {
				answering.Go(func() { answer(terminal, asked) })
			}
		}
	})
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	watching.Wait()
	answering.Wait()
	if failed != nil {
		t.Fatalf("%v; on the terminal: %q", failed, shown.String())
	}
	return result, shown.String()
}

func TestTheTerminalTellsItsBackground(t *testing.T) {
	say := func(parts ...string) func(*os.File, <-chan struct{}) {
		return func(terminal *os.File, _ <-chan struct{}) {
			for i, part := range parts {
				if i > 0 {
					<-time.After(time.Millisecond)
				}
				_, _ = terminal.WriteString(part)
			}
		}
	}
	tooLate := func(first, then string) func(*os.File, <-chan struct{}) {
		return func(terminal *os.File, asked <-chan struct{}) {
			_, _ = terminal.WriteString(first)
			<-asked
			_, _ = terminal.WriteString(then)
		}
	}
	for _, c := range []struct {
		name   string
		answer func(terminal *os.File, asked <-chan struct{})
		limits limits
		light  bool
		left   string
	}{
		{name: "dark", answer: say(blackReply + kindReply), limits: inTime},
		{name: "light", answer: say(whiteReply + kindReply), limits: inTime, light: true},
		{name: "light in parts", answer: say(strings.SplitAfter(whiteReply+kindReply, "")...), limits: inTime, light: true},
		{name: "light in sixteen colours' notation", answer: say("\x1b]11;#ffffdd\a" + kindReply), limits: inTime, light: true},
		{name: "light with an alpha channel", answer: say("\x1b]11;rgba:ff/ff/ff/ff\a" + kindReply), limits: inTime, light: true},
		{name: "knows no OSC 11", answer: say(kindReply), limits: inTime},
		{name: "knows no DA1", answer: say(whiteReply), limits: waitedFor, light: true},
		{name: "never", answer: say()},
		{name: "too late", answer: tooLate("", whiteReply+kindReply), limits: late},
		{name: "half of it too late", answer: tooLate(whiteReply[:9], whiteReply[9:]+kindReply), limits: late},
		{name: "half of it never", answer: say(whiteReply[:9]), limits: waitedFor},
		{name: "nonsense", answer: say("\x1b]11;mauve\a" + kindReply), limits: inTime},
		{name: "another answer", answer: say("\x1b]4;1;rgb:ff/ff/ff\a" + kindReply), limits: inTime},
		{name: "typed in the meantime", answer: say("l" + whiteReply + "s" + kindReply), limits: inTime, light: true, left: "ls"},
		{name: "an arrow key in the meantime", answer: say("\x1b[A" + blackReply + kindReply), limits: inTime, left: "\x1b[A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, shown := onPTY(t, c.limits.environment(), "", c.answer)
			if got.Light != c.light || got.Left != c.left || !got.Restored {
				t.Errorf("%+v, want light %v and %q left", got, c.light, c.left)
			}
			if got.Took >= inTime.answer {
				t.Errorf("asking took %v", got.Took)
			}
			if strings.Count(shown, "\x1b]11;?") != 1 || strings.Contains(shown, "rgb") || strings.Contains(shown, "62;22") {
				t.Errorf("on the terminal: %q", shown)
			}
		})
	}
}

func TestTheTerminalIsNotAskedWithoutNeed(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		env         []string
	}{
		{name: "a line is typed ahead", typed: "ls\n"},
		{name: "half a line is typed ahead", typed: "ls"},
		{name: "COLORFGBG", env: []string{"COLORFGBG=0;15"}},
		{name: "a dumb terminal", env: []string{"TERM=dumb"}},
		{name: "the Linux console", env: []string{"TERM=linux"}},
		{name: "GNU screen", env: []string{"TERM=screen-256color"}},
		{name: "ssh", env: []string{"SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"}},
		{name: "ssh with a terminal", env: []string{"SSH_TTY=/dev/pts/1"}},
		{name: "ssh of old", env: []string{"SSH_CLIENT=192.0.2.1 50000 22"}},
		{name: "a job in the background", env: []string{"HOBNOB_TEST_ASKER=background"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, shown := onPTY(t, c.env, c.typed, func(*os.File, <-chan struct{}) {})
			if strings.Contains(shown, "\x1b]") || strings.Contains(shown, "\x1b[c") {
				t.Errorf("on the terminal: %q", shown)
			}
			if got.Left != c.typed || !got.Restored {
				t.Errorf("%+v, want %q left", got, c.typed)
			}
		})
	}
}

func TestTheTerminalIsNotAskedFromAPipe(t *testing.T) {
	s := Detect(nil, openPipe(t), nil, environment("TERM=xterm", "CLICOLOR_FORCE=1"))
	s.OpenTTY = func() (in, out *os.File, err error) {
		t.Error("the terminal was opened")
		return nil, nil, os.ErrInvalid
	}
	if s.LightBackground() {
		t.Error("a pipe has a light background")
	}
	s.DrainReplies()
}

func TestColoursAreLightOrDarkForTheEye(t *testing.T) {
	for answer, want := range map[string]bool{
		"11;rgb:ffff/ffff/ffff": true, "11;rgb:0/0/0": false, "11;rgb:fd/f6/e3": true, "11;rgb:0000/2b2b/3636": false,
		"11;rgb:0/f/0": true, "11;rgb:0/0/f": false, "11;rgb:f/0/0": false, "11;#fafafa": true, "11;#101010": false,
		"11;rgb:ffff/ffff": false, "11;rgb:fffff/fffff/fffff": false, "": false, "10;rgb:f/f/f": false,
	} {
		if got := isLight(answer); got != want {
			t.Errorf("%q: light %v, want %v", answer, got, want)
		}
	}
}

func TestTheEnvironmentNamesTheBackground(t *testing.T) {
	for colors, want := range map[string]bool{
		"0;15": true, "0;default;7": true, "15;0": false, "15;default;8": false, "": false,
	} {
		s := &Streams{OutTTY: true, env: environment("TERM=xterm", "COLORFGBG="+colors)}
		if got := s.LightBackground(); got != want {
			t.Errorf("COLORFGBG=%s: light %v, want %v", colors, got, want)
		}
	}
}
