//go:build unix

package chat

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// detachProcess gives a process a session of its own, which has no terminal:
// closing one sends it nothing.
func detachProcess(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// keepFilesFromChildren closes in children what this process got from the shell
// besides the three streams: a pipe held open would keep its reader waiting, and a
// lock would last.
func keepFilesFromChildren() {
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
