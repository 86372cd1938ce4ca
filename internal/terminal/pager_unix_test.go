//go:build unix

package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPagerProcess is a pager that other tests start. It reports its modes and the keys
// that it reads.
func TestPagerProcess(t *testing.T) {
	if os.Getenv("HOBNOB_TEST_PAGER") == "" {
		t.Skip("runs only in other tests")
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	before, err := attributes(tty)
	if err != nil {
		t.Fatal(err)
	}
	raw := *before
	raw.Lflag &^= unix.ECHO | unix.ICANON
	if err := setAttributes(tty, &raw); err != nil {
		t.Fatal(err)
	}
	var keys []byte
	buffer := make([]byte, 256)
	for deadline := time.Now().Add(2 * drainTimeout); ; {
		n, err := readUntil(tty, buffer, deadline)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		keys = append(keys, buffer[:n]...)
	}
	// Like a pager that is killed, it does not restore the modes.
	_, _ = fmt.Fprintf(os.Stdout, "echo %v, keys %q\r\n", before.Lflag&unix.ECHO != 0, keys)
}

func TestPagerGetsNoLateResponse(t *testing.T) {
	for _, c := range []struct {
		name     string
		timeouts timeouts
		response string
	}{
		{"in time", inTime, whiteResponse + kindResponse},
		{"late", late, whiteResponse + kindResponse},
		{"missing", timeouts{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pager := "HOBNOB_TEST_PAGER=1 '" + os.Args[0] + "' -test.run='^TestPagerProcess$'"
			env := append(c.timeouts.environment(), "PATH="+os.Getenv("PATH"), "HOBNOB_PAGER="+pager)
			got, shown := runOnPTY(t, env, "", func(terminal *os.File, queried <-chan struct{}) {
				if c.timeouts == late {
					<-queried
				}
				_, _ = terminal.WriteString(c.response)
			})
			if !strings.Contains(shown, `echo true, keys ""`) {
				t.Errorf("on the terminal: %q", shown)
			}
			if got.Left != "" || !got.Restored {
				t.Errorf("%+v", got)
			}
		})
	}
}
