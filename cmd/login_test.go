//go:build unix

package cmd

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestInterruptedLoginStoresNothing(t *testing.T) {
	s, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	typed := ""
	for _, step := range []struct{ question, answer string }{
		{"Address of the service", s.server.URL + "\n"},
		{"Token for", "t\n"},
		{"UUID of the agent", "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e02\n"},
		{"Alias for", "reviewer\n"},
	} {
		t.Run(step.question, func(t *testing.T) {
			home := t.TempDir()
			code, errs := loginUntil(t, home, typed, step.question)
			if code != failure.Interrupted.Exit() || !strings.Contains(errs, "hobnob: error: stopped by Ctrl-C; nothing was stored") {
				t.Errorf("exit code %d: %s", code, errs)
			}
			if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
				t.Errorf("files left: %v, %v", entries, err)
			}
		})
		typed += step.answer
	}
}

// The user may paste the token too early, so input is not shown at any question after
// the address.
func TestLoginHidesEarlyToken(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux without a keyring")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
	s, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	type step struct{ question, answer string }
	for name, tt := range map[string]struct {
		args  []string
		steps []step
		code  int
	}{
		"no keyring": {[]string{"login"}, []step{
			{"Address of the service", s.server.URL}, {"[y/N]", "canary-1"}, {"[y/N]", "canary-2"}, {"[y/N]", "n"},
		}, failure.Auth.Exit()},
		"--with-token": {[]string{"login", "--with-token", "--insecure-storage", "--base-url", s.server.URL}, []step{{"(not shown)", "canary-1"}}, failure.Auth.Exit()},
	} {
		t.Run(name, func(t *testing.T) {
			keyboard, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = keyboard.Close(), tty.Close() }()
			var stderr bytes.Buffer
			streams := &terminal.Streams{In: tty, InTTY: true, Out: io.Discard, Err: &stderr, OpenTTY: func() (in, out *os.File, err error) {
				f, err := os.OpenFile(tty.Name(), os.O_RDWR|syscall.O_NOCTTY, 0)
				return f, f, err
			}}
			home := t.TempDir()
			f := cli.New(streams, func(key string) string { return map[string]string{"HOME": home}[key] })
			done := make(chan int, 1)
			go func() { done <- run(t.Context(), f, tt.args) }()
			all, buffer := "", make([]byte, 1024)
			readUntil := func(text string) {
				for shown := ""; !strings.Contains(shown, text); {
					n, err := keyboard.Read(buffer)
					if err != nil {
						t.Fatalf("terminal showed %q: %v", all, err)
					}
					shown += string(buffer[:n])
					all += string(buffer[:n])
				}
			}
			for _, step := range tt.steps {
				readUntil(step.question)
				if _, err := io.WriteString(keyboard, step.answer+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			code := <-done
			if _, err := io.WriteString(tty, "the end"); err != nil {
				t.Fatal(err)
			}
			if readUntil("the end"); code != tt.code || strings.Contains(all+stderr.String(), "canary") {
				t.Errorf("exit code %d, terminal showed %q, then %s", code, all, stderr.String())
			}
			if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
				t.Errorf("files left: %v, %v", left, err)
			}
		})
	}
}

// loginUntil runs login, types the answers and interrupts it at question.
func loginUntil(t *testing.T, home, typed, question string) (code int, errs string) {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = keyboard.Close(), tty.Close() }()
	var stderr bytes.Buffer
	streams := &terminal.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &stderr, OpenTTY: func() (in, out *os.File, err error) {
		f, err := os.OpenFile(tty.Name(), os.O_RDWR|syscall.O_NOCTTY, 0)
		return f, f, err
	}}
	env := map[string]string{"HOME": home, "AppData": filepath.Join(home, "AppData")}
	f := cli.New(streams, func(key string) string { return env[key] })
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := make(chan int, 1)
	go func() { done <- run(ctx, f, []string{"login", "--insecure-storage"}) }()
	if _, err := io.WriteString(keyboard, typed); err != nil {
		t.Fatal(err)
	}
	shown, buffer := "", make([]byte, 1024)
	for !strings.Contains(shown, question) {
		n, err := keyboard.Read(buffer)
		if err != nil {
			t.Fatalf("terminal showed %q: %v", shown, err)
		}
		shown += string(buffer[:n])
	}
	cancel(&cli.SignalError{Signal: os.Interrupt})
	code = <-done
	return code, stderr.String()
}
