//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

const (
	getAttributes = unix.TIOCGETA
	putAttributes = unix.TIOCSETA

	// golang.org/x/sys/unix lacks these on some of the systems.
	bytesWaiting = 0x4004667f // FIONREAD
	simulateKey  = 0x80017472 // TIOCSTI; OpenBSD has it no more and refuses it

	disabledKey = 0xff // _POSIX_VDISABLE
)
