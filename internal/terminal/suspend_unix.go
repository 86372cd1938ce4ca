//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Suspend stops the foreground processes of the terminal, like Ctrl-Z, and returns when
// they continue.
func Suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-continued:
	case <-time.After(time.Second): // without job control, nothing stops
	}
}
