package credential

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	// patience is the time limit for a working keyring on a slow machine.
	patience = 30 * time.Second
	// tooLong is longer than any operation may take, with or without an answer.
	tooLong = 20 * time.Second
)

// sessionConfig configures a bus without service activation, so that all its
// processes belong to the test.
const sessionConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=DIR</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// insideSession runs the calling test again in a separate process, with a private bus
// and private directories. It returns true in that process. In the first process it
// returns false after the other one has exited.
func insideSession(t *testing.T) bool {
	t.Helper()
	if os.Getenv("HOBNOB_TEST_SESSION") == t.Name() {
		return true
	}
	needTool(t, "dbus-run-session")
	needTool(t, "dbus-daemon")
	// t.TempDir is too long for the name of a socket.
	dir, err := os.MkdirTemp("", "hobnob") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := filepath.Join(dir, "session.conf")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(sessionConfig, "DIR", dir)), 0o600); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--config-file="+config, "--",
		os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=50s", "-test.v")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"TMPDIR=" + dir,
		"XDG_RUNTIME_DIR=" + dir,
		"XDG_DATA_HOME=" + dir,
		"XDG_CONFIG_HOME=" + dir,
		"XDG_CACHE_HOME=" + dir,
		"GORACE=atexit_sleep_ms=0",
		"HOBNOB_TEST_SESSION=" + t.Name(),
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil || testing.Verbose() {
		t.Logf("inside the session:\n%s", out)
	}
	if err != nil {
		t.Errorf("inside the session: %v", err)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // everything still running in the session
	deadline := time.After(time.Minute)
	for left := processesIn(t, dir); len(left) > 0; left = processesIn(t, dir) {
		select {
		case <-deadline:
			t.Fatalf("processes of the session are still running: %v", left)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return false
}

// processesIn lists the processes whose runtime directory is dir, without zombies,
// which have no environment.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(environs, func(path string) bool {
		environ, _ := os.ReadFile(path)
		return !strings.Contains(string(environ), "XDG_RUNTIME_DIR="+dir+"\x00")
	})
}

// connect opens a new connection to the session bus.
func connect(t *testing.T) *dbus.Conn {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestNoSessionBus(t *testing.T) {
	launched := filepath.Join(t.TempDir(), "launched")
	bin := t.TempDir()
	script := "#!/bin/sh\n: >" + launched + "\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "dbus-launch"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	regular := t.TempDir()
	if err := os.WriteFile(filepath.Join(regular, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ address, runtime string }{
		"nothing set":             {"", ""},
		"no socket":               {"", t.TempDir()},
		"regular file":            {"", regular},
		"relative runtime path":   {"", "run"},
		"autolaunch":              {"autolaunch:", ""},
		"autolaunch with scope":   {"autolaunch:scope=*user", ""},
		"no such socket":          {"unix:path=" + filepath.Join(bin, "none"), ""},
		"no such abstract socket": {"unix:abstract=hobnob-test-none", ""},
		"directory":               {"unix:path=" + bin, ""},
		"connection refused":      {"tcp:host=127.0.0.1,port=1", ""},
		"unknown transport":       {"launchd:env=X", ""},
		"invalid address":         {"what?", ""},
		"several, none usable":    {"unix:path=/none;unix:abstract=hobnob-test-none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", bin)
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", tt.address)
			t.Setenv("XDG_RUNTIME_DIR", tt.runtime)
			dir := t.TempDir()
			r := Resolver{File: filepath.Join(dir, "tokens.json"), limit: patience}
			started := time.Now()
			_, err := r.Token(t.Context(), work)
			wantReason(t, err, ReasonAbsent)
			_, err = r.Store(t.Context(), work, canary, false)
			wantReason(t, err, ReasonAbsent)
			_, err = r.Delete(t.Context(), work)
			wantReason(t, err, ReasonAbsent)
			if took := time.Since(started); took > tooLong {
				t.Errorf("took %v", took)
			}
			wantFiles(t, dir)
		})
	}
	if _, err := os.Stat(launched); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("dbus-launch was started: %v", err)
	}
}

func TestBusInRuntimeDirectory(t *testing.T) {
	if !insideSession(t) {
		return
	}
	// As in a login session: XDG_RUNTIME_DIR is set, the address is not.
	path, _, _ := strings.Cut(strings.TrimPrefix(os.Getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:path="), ",")
	runtime := filepath.Join(t.TempDir(), "with space")
	if err := os.Mkdir(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, filepath.Join(runtime, "bus")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	_, err := Resolver{limit: patience}.Token(t.Context(), work)
	var failed *KeyringError
	if !errors.As(err, &failed) || failed.Detail != "org.freedesktop.DBus.Error.ServiceUnknown" || failed.Reason != ReasonAbsent {
		t.Errorf("got error %v, want ServiceUnknown", err)
	}
}
