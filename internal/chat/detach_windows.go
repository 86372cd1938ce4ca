package chat

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detachProcess makes command run without a console, in a new process group, so that it
// gets no Ctrl-C.
func detachProcess(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// closeFilesInChildren does nothing: on Windows, children inherit only listed handles.
func closeFilesInChildren() {}
