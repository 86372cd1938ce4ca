//go:build unix

package cmd

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestLoginStoppedByCtrlCStoresNothing(t *testing.T) {
	s, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	typed := ""
	for _, step := range []struct{ question, answer string }{
		{"Address of the service", s.server.URL + "\n"},
		{"Token for", "t\n"},
		{"Agent, a UUID", "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e02\n"},
		{"Alias for", "reviewer\n"},
	} {
		t.Run(step.question, func(t *testing.T) {
			home := t.TempDir()
			code, errs := loginUntil(t, home, typed, step.question)
			if code != failure.Interrupted.Exit() || !strings.Contains(errs, "hobnob: error: stopped by Ctrl-C; nothing was stored") {
				t.Errorf("exit code %d: %s", code, errs)
			}
			if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
				t.Errorf("left %v, %v", entries, err)
			}
		})
		typed += step.answer
	}
}

// loginUntil runs login with what was typed before and stops it at question.
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
			t.Fatalf("the terminal showed %q: %v", shown, err)
		}
		shown += string(buffer[:n])
	}
	cancel(&cli.SignalError{Signal: os.Interrupt})
	code = <-done
	return code, stderr.String()
}
