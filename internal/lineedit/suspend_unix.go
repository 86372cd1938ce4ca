//go:build unix

package lineedit

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// suspendLimit is how long to wait for the stop; without a shell that has job control
// it never comes.
const suspendLimit = time.Second

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
	case <-time.After(suspendLimit):
	}
}
