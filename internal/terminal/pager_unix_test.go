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

// TestPagerProcess is no test of its own but a pager that tells which modes and
// which keys it has got.
func TestPagerProcess(t *testing.T) {
	if os.Getenv("HOBNOB_TEST_PAGER") == "" {
		t.Skip("the pager of another test")
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
	for deadline := time.Now().Add(2 * replyLimit); ; {
		n, err := readUntil(tty, buffer, deadline)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		keys = append(keys, buffer[:n]...)
	}
	// Like a pager that was killed, it leaves its modes behind.
	_, _ = fmt.Fprintf(os.Stdout, "echo %v, keys %q\r\n", before.Lflag&unix.ECHO != 0, keys)
}

func TestALateReplyIsNoKeyForThePager(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits limits
		reply  string
	}{
		{"in time", inTime, whiteReply + kindReply},
		{"late", late, whiteReply + kindReply},
		{"never", limits{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pager := "HOBNOB_TEST_PAGER=1 '" + os.Args[0] + "' -test.run='^TestPagerProcess$'"
			env := append(c.limits.environment(), "PATH="+os.Getenv("PATH"), "HOBNOB_PAGER="+pager)
			got, shown := onPTY(t, env, "", func(terminal *os.File, asked <-chan struct{}) {
				if c.limits == late {
					<-asked
				}
				_, _ = terminal.WriteString(c.reply)
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
