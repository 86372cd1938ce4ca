//go:build unix

package lineedit

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// suspend stops the foreground processes of the terminal, as Ctrl-Z does elsewhere,
// and returns when they continue.
func suspend() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-goesOn:
	case <-time.After(time.Second): // without a shell that has job control nothing stops
	}
}
