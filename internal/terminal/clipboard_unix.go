//go:build unix

package terminal

import "syscall"

// ownSession takes a program away from the terminal of this one.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
