package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeysSequences switches the console of f to understand escape sequences and
// tells whether it does; consoles before Windows 10 do not.
func obeysSequences(f *os.File) bool {
	if f == nil {
		return false
	}
	handle := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(handle, &mode); err != nil {
		return false
	}
	if mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return true
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
