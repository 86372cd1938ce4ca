package terminal

import "golang.org/x/sys/unix"

const (
	getAttributes = unix.TCGETS
	putAttributes = unix.TCSETS
	bytesWaiting  = unix.TIOCINQ
	simulateKey   = unix.TIOCSTI

	disabledKey = 0 // _POSIX_VDISABLE
)
