//go:build unix

package chat

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// detachProcess makes command run in a new session, without a terminal, so that it gets
// no signal when the terminal closes.
func detachProcess(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// closeFilesInChildren marks the file descriptors that this process inherited, except
// the three streams, as close-on-exec. A child would otherwise hold pipes open, whose
// readers then wait, and keep locks.
func closeFilesInChildren() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
