package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFirstSignalEndsBlockingRead sends a signal to hobnob while a read blocks.
func TestFirstSignalEndsBlockingRead(t *testing.T) {
	const prompt, token = "a part of a text ", "a-part-of-a-token-"
	tests := map[string]struct {
		args  []string
		input string // repeated on stdin or in the pipe
		fifo  bool   // reads a named pipe
		shell bool   // runs a token command that hangs
	}{
		"import stdin":       {args: []string{"conversations", "import", "-"}, input: " "},
		"import pipe":        {args: []string{"conversations", "import", "PIPE"}, input: " ", fifo: true},
		"token on stdin":     {args: []string{"login", "--base-url", "http://127.0.0.1:1", "--insecure-storage", "--with-token"}, input: token},
		"prompt on stdin":    {args: []string{"chat"}, input: prompt},
		"named stdin":        {args: []string{"chat", "-f", "-", "why?"}, input: prompt},
		"stdin as a file":    {args: []string{"chat", "-f", "/dev/stdin", "why?"}, input: prompt},
		"pipe as a file":     {args: []string{"chat", "-f", "PIPE", "why?"}, input: prompt, fifo: true},
		"background process": {args: []string{"deliver"}, input: " "},
		"token command":      {args: []string{"chat", "hi"}, shell: true},
	}
	for name, tt := range tests {
		for signal, code := range map[syscall.Signal]int{unix.SIGINT: 130, unix.SIGTERM: 143} {
			t.Run(fmt.Sprintf("%s %v", name, signal), func(t *testing.T) {
				home := t.TempDir()
				pipe := filepath.Join(home, "pipe")
				config := fmt.Sprintf("profiles:\n  work: {base_url: http://127.0.0.1:1, token_command: [sh, -c, 'echo >%s; exec sleep 600']}\n", pipe)
				if err := errors.Join(unix.Mkfifo(pipe, 0o600), os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600)); err != nil {
					t.Fatal(err)
				}
				profile := "local"
				if tt.shell {
					profile = "work"
				}
				args := append([]string{"-p", profile}, tt.args...)
				for i := range args {
					args[i] = strings.Replace(args[i], "PIPE", pipe, 1)
				}
				if name == "token on stdin" {
					args = args[2:]
				}
				command := exec.CommandContext(t.Context(), "hobnob", args...)
				command.Env = []string{"HOME=" + home, "HOBNOB_CONFIG=" + filepath.Join(home, "config.yaml"), "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
				var stderr bytes.Buffer
				command.Stderr = &stderr
				stdin, err := command.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = command.Process.Kill() })
				stuck := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
				defer stuck.Stop()
				switch {
				case tt.shell:
					_ = stdin.Close()
					reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
					if err != nil {
						t.Fatal(err)
					}
					defer func() { _ = reader.Close() }()
					_ = reader.SetReadDeadline(time.Now().Add(time.Minute))
					if _, err := reader.Read(make([]byte, 1)); err != nil {
						t.Fatal(err)
					}
				case tt.fifo:
					writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
					if err != nil {
						t.Fatal(err)
					}
					defer func() { _ = writer.Close() }()
					overfill(t, writer, tt.input)
				default:
					overfill(t, stdin.(*os.File), tt.input)
				}
				began := time.Now()
				if err := command.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				_ = command.Wait()
				if took := time.Since(began); command.ProcessState.ExitCode() != code || took > 10*time.Second {
					t.Errorf("exit code %d after %v, want %d\n%s", command.ProcessState.ExitCode(), took, code, &stderr)
				}
			})
		}
	}
}

// overfill writes more than the capacity of a pipe, so it returns after the reader has
// started to read.
func overfill(t *testing.T, pipe *os.File, text string) {
	t.Helper()
	conn, err := pipe.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	if cerr := conn.Control(func(fd uintptr) { size, err = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, os.Getpagesize()) }); errors.Join(cerr, err) != nil {
		t.Fatal(cerr, err)
	}
	if _, err := pipe.WriteString(strings.Repeat(text, (size+100)/len(text))); err != nil {
		t.Fatal(err)
	}
}
