//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

const (
	getAttributes = unix.TIOCGETA
	putAttributes = unix.TIOCSETA

	// golang.org/x/sys/unix does not define these on all systems.
	bytesWaiting = 0x4004667f // FIONREAD
	simulateKey  = 0x80017472 // TIOCSTI; OpenBSD has removed it and returns an error

	disabledKey = 0xff // _POSIX_VDISABLE
)
