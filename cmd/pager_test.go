//go:build unix

package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestCtrlCBelongsToThePager presses it while a pager has the terminal: the pager
// hears it, and hobnob waits until it ends.
func TestCtrlCBelongsToThePager(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "hobnob") // by this name the test is hobnob
	if err := os.Symlink(self, binary); err != nil {
		t.Fatal(err)
	}
	question := strings.Repeat("a line\n\n", 60)
	command := exec.Command(binary, "-q", "chat", "-a", "echo", question)
	command.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "TERM=xterm", "LC_ALL=C.UTF-8", "HOBNOB_DATA_DIR=" + filepath.Join(dir, "data"),
		`PAGER=trap 'echo caught' INT; cat >/dev/null; echo ready; until read key </dev/tty; do :; done; echo "key $key"`}
	tty, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	kill := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	defer kill.Stop()

	var shown bytes.Buffer
	sees := func(text string) {
		t.Helper()
		for chunk := make([]byte, 1024); !strings.Contains(shown.String(), text); {
			n, err := tty.Read(chunk)
			shown.Write(chunk[:n])
			if err != nil {
				t.Fatalf("%q was not shown, but %q: %v", text, shown.String(), err)
			}
		}
	}
	sees("ready")
	for range 2 { // the second one would end hobnob at once
		shown.Reset()
		// A shell hears it only once it reads, so it is pressed until it is heard.
		heard, quiet := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(quiet)
			again := time.NewTicker(200 * time.Millisecond)
			defer again.Stop()
			for {
				_, _ = tty.WriteString("\x03")
				select {
				case <-heard:
					return
				case <-again.C:
				}
			}
		}()
		sees("caught")
		close(heard)
		<-quiet
	}
	if _, err := tty.WriteString("\nq\n"); err != nil {
		t.Fatal(err)
	}
	sees("key ")
	if err := command.Wait(); err != nil {
		t.Errorf("hobnob ended with: %v", err)
	}
}
