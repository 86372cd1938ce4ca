//go:build unix

package lineedit

import (
	"os"
	"os/signal"
	"syscall"
	"time"
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
