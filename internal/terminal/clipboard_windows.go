package terminal

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// ownSession keeps a program from opening a window and from the keys of this console.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}
