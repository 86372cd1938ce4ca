package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// detachToken is a token that the test service accepts.
const detachToken = "t"

// detachSetup is a home directory and a service for background questions.
type detachSetup struct {
	t       *testing.T
	home    string
	program string
	service *faultyService
}

func newDetachSetup(t *testing.T) *detachSetup {
	t.Helper()
	service, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.close)
	d := &detachSetup{t: t, home: t.TempDir(), service: service}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d.program = filepath.Join(d.home, "hobnob") // TestMain runs hobnob under this name
	if err := os.Symlink(self, d.program); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, pid := range d.background() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return d
}

func (d *detachSetup) command(args ...string) *exec.Cmd {
	c := exec.Command(d.program, args...)
	c.Env = []string{"HOME=" + d.home, "TERM=xterm-256color", "HOBNOB_BASE_URL=" + d.service.server.URL, "HOBNOB_TOKEN=" + detachToken, "HOBNOB_AGENT=" + agent.EchoID}
	return c
}

// run runs hobnob and returns its output and its exit code.
func (d *detachSetup) run(args ...string) (stdout, stderr string, code int) {
	d.t.Helper()
	var out, errs bytes.Buffer
	c := d.command(args...)
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run()
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// background returns the background processes of this home directory.
func (d *detachSetup) background() []int {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		d.t.Fatal(err)
	}
	var found []int
	for _, dir := range processes {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if strings.HasPrefix(string(line), "hobnob\x00deliver") && strings.Contains(string(environment), "HOME="+d.home+"\x00") {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			found = append(found, pid)
		}
	}
	return found
}

// process returns the background process after it has saved the question.
func (d *detachSetup) process() int {
	d.t.Helper()
	found := d.background()
	if len(found) != 1 {
		d.t.Fatalf("%d background processes, want 1", len(found))
	}
	return found[0]
}

// waitUntil polls until ok returns true.
func (d *detachSetup) waitUntil(what string, ok func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("timed out waiting until %s", what)
		}
	}
}

func (d *detachSetup) proc(pid int, name string) string {
	d.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

func TestDetachedQuestionSurvivesTerminal(t *testing.T) {
	d := newDetachSetup(t)
	d.service.set("hold")
	held, open, err := os.Pipe() // a descriptor that a shell may have left open
	if err != nil {
		t.Fatal(err)
	}
	c := d.command("chat", "--detach", "a hidden question")
	c.Env = append(c.Env, "HOBNOB_TOKEN="+detachToken, "HOBNOB_HISTORY=a secret of the environment")
	c.ExtraFiles = []*os.File{open}
	terminal, err := pty.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	_ = open.Close()
	shown, _ := io.ReadAll(terminal) // fails when the last process has closed it
	_ = terminal.Close()
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, shown)
	}
	turn, _, _ := strings.Cut(string(shown), "\r\n")
	if !d.service.await(1, time.Minute) {
		t.Fatal("the service received no question")
	}

	pid := d.process()
	for _, name := range []string{"cmdline", "environ"} {
		for _, secret := range []string{"HOBNOB_TOKEN", "hidden question", "secret", agent.EchoID} {
			if content := d.proc(pid, name); strings.Contains(content, secret) {
				t.Errorf("%s contains %q: %q", name, secret, content)
			}
		}
	}
	// The fields after the name: state, parent, group, session, terminal (proc(5)).
	_, stat, _ := strings.Cut(d.proc(pid, "stat"), ") ")
	if fields := strings.Fields(stat); fields[3] != strconv.Itoa(pid) || fields[4] != "0" {
		t.Errorf("session %s and terminal %s, want %d and 0", fields[3], fields[4], pid)
	}
	if where, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err != nil || where != filepath.Join(d.home, ".local", "share", "hobnob") {
		t.Errorf("working directory: %s, %v", where, err)
	}
	if n, err := held.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the pipe of the shell is still open: %d, %v", n, err)
	}
	if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
		t.Error(err)
	}

	d.service.set("none")
	stdout, stderr, code := d.run("wait", turn)
	if stdout != "a hidden question\n" || stderr != "" || code != 0 {
		t.Errorf("%q, %q, %d", stdout, stderr, code)
	}
	d.service.mu.Lock()
	defer d.service.mu.Unlock()
	if got := d.service.requests; len(got) != 1 || got[0].header.Get("Authorization") != "Bearer "+detachToken {
		t.Errorf("the service got %+v", got)
	}
}

func TestDetachedQuestionOfKilledProcessIsUnknown(t *testing.T) {
	for name, sent := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "terminated": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			d := newDetachSetup(t)
			d.service.set("hang")
			turn, stderr, code := d.run("chat", "-q", "--detach", "hi")
			if code != 0 {
				t.Fatal(stderr)
			}
			turn = strings.TrimSpace(turn)
			if !d.service.await(1, time.Minute) {
				t.Fatal("the service received no question")
			}
			waiting := d.command("wait", turn)
			var output bytes.Buffer
			waiting.Stderr = &output
			if err := waiting.Start(); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(d.process(), sent); err != nil {
				t.Fatal(err)
			}
			_ = waiting.Wait()
			if code := waiting.ProcessState.ExitCode(); code != failure.Unknown.Exit() || !strings.Contains(output.String(), "hint: the service may have accepted the question") {
				t.Errorf("exit code %d: %s", code, &output)
			}
			if _, stderr, code := d.run("wait"); code != failure.Unknown.Exit() || !strings.Contains(stderr, "no pending question") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
}

func TestCtrlCBeforeDetachedQuestionIsSavedSendsNothing(t *testing.T) {
	d := newDetachSetup(t)
	if _, stderr, code := d.run("chat", "first"); code != 0 {
		t.Fatal(stderr)
	}
	unlock := holdWriteLock(t, filepath.Join(d.home, ".local", "share", "hobnob", "history.db"))
	c := d.command("chat", "--detach", "second")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	d.waitUntil("a background process starts", func() bool { return len(d.background()) > 0 })
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	unlock()
	if code := c.ProcessState.ExitCode(); code != failure.Interrupted.Exit() || stdout.Len() > 0 || !strings.Contains(stderr.String(), "error: stopped by Ctrl-C") {
		t.Errorf("exit code %d, %q, %q", code, &stdout, &stderr)
	}
	d.waitUntil("the background process exits", func() bool { return len(d.background()) == 0 })
	if out, _, _ := d.run("conversations", "show"); strings.Contains(out, "second") {
		t.Errorf("the question was saved: %s", out)
	}
	if d.service.await(2, 0) {
		t.Error("the question was sent")
	}
}
