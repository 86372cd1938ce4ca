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

// While a pager runs, Ctrl-C is for the pager, and hobnob waits for it to exit.
func TestCtrlCIsForPager(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "hobnob") // under this name the test binary is hobnob
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
				t.Fatalf("%q did not appear in %q: %v", text, shown.String(), err)
			}
		}
	}
	sees("ready")
	for range 2 { // the second one would end hobnob immediately
		shown.Reset()
		// A shell receives it only when it reads, so press it until it has an effect.
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
		t.Errorf("hobnob: %v", err)
	}
}
