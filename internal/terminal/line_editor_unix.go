//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// suspendLimit is how long a stop may take to come; without a shell that controls
// jobs it never does.
const suspendLimit = time.Second

// suspend stops the processes of the terminal's foreground as Ctrl-Z does
// elsewhere, and returns when they go on.
func suspend() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-goesOn:
	case <-time.After(suspendLimit):
	}
}

// withoutLines lets the terminal keep whatever is typed: by lines it would drop
// what goes beyond 4096 bytes. Ctrl-C works on.
func (s *Streams) withoutLines() (restore func()) {
	tty, ok := s.In.(*os.File)
	if !ok || !inForeground(tty) {
		return func() {}
	}
	before, err := attributes(tty)
	if err != nil {
		return func() {}
	}
	held := *before
	held.Lflag &^= unix.ICANON
	held.Lflag |= unix.ISIG
	held.Cc[unix.VMIN], held.Cc[unix.VTIME] = 1, 0
	if setAttributes(tty, &held) != nil {
		return func() {}
	}
	return func() {
		if inForeground(tty) {
			_ = setAttributes(tty, before)
		}
	}
}
