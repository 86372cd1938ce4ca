package cmd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKilledWriteLeavesNoCopy kills hobnob at the moment when a temporary file appears
// next to a file that it writes. Afterwards the file is complete, and the next write,
// or logout, removes what the killed process left.
func TestKilledWriteLeavesNoCopy(t *testing.T) {
	s, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for name, tt := range map[string]struct {
		write, clean []string
		file         string
	}{
		"token": {
			write: []string{"login", "-p", "work", "--base-url", s.server.URL, "--insecure-storage", "--with-token"},
			clean: []string{"logout", "-p", "work"},
			file:  "tokens.json",
		},
		"setting": {
			write: []string{"config", "set", "agent", "echo"}, clean: []string{"config", "set", "agent", "guide"},
			file: "config.yaml",
		},
		"export": {
			write: []string{"conversations", "export", "--all", "--format", "json", "--force", "-o", "backup.json"},
			clean: []string{"conversations", "export", "--all", "--format", "json", "--force", "-o", "backup.json"},
			file:  "backup.json",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			hobnob := func(args ...string) *exec.Cmd {
				command := exec.CommandContext(t.Context(), "hobnob", args...)
				command.Dir = dir
				command.Env = []string{"HOME=" + dir, "HOBNOB_CONFIG=" + filepath.Join(dir, "config.yaml"), "HOBNOB_DATA_DIR=" + dir, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
				command.Stdin = strings.NewReader("t\n")
				return command
			}
			run := func(args ...string) {
				t.Helper()
				if out, err := hobnob(args...).CombinedOutput(); err != nil {
					t.Fatalf("%q: %v\n%s", args, err, out)
				}
			}
			run("-p", "local", "chat", "-a", "echo", "hello")
			run("config", "set", "style", "dark")
			run(tt.write...)
			for range 10 {
				names := created(t, dir)
				command := hobnob(tt.write...)
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_ = command.Wait() // it is killed
				}()
			watch:
				for {
					select {
					case name := <-names:
						if strings.HasPrefix(name, "."+tt.file+".") {
							_ = command.Process.Kill()
						}
					case <-ended:
						break watch
					}
				}
				if content, err := os.ReadFile(filepath.Join(dir, tt.file)); err != nil || len(bytes.TrimSpace(content)) == 0 {
					t.Errorf("%s contains %q, %v", tt.file, content, err)
				}
			}
			run(tt.clean...)
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range entries {
				if name := entry.Name(); strings.HasPrefix(name, ".") && entry.Type().IsRegular() {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// created returns the names of the files that appear in a directory.
func created(t *testing.T, dir string) <-chan string {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { _ = events.Close() })
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE); err != nil {
		t.Fatal(err)
	}
	names := make(chan string, 100)
	go func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := events.Read(buffer)
			if errors.Is(err, os.ErrClosed) || err != nil {
				return
			}
			for at := 0; at < n; {
				length := int(binary.NativeEndian.Uint32(buffer[at+12:]))
				at += unix.SizeofInotifyEvent
				names <- string(bytes.TrimRight(buffer[at:at+length], "\x00"))
				at += length
			}
		}
	}()
	return names
}
