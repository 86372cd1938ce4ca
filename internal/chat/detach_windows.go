package chat

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detachProcess gives a process neither a console nor a part in the Ctrl-C of one.
func detachProcess(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// keepFilesFromChildren has nothing to do: children get the handles that are named.
func keepFilesFromChildren() {}
