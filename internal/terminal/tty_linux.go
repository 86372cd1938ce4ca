package terminal

import "golang.org/x/sys/unix"

const (
	getAttributes = unix.TCGETS
	putAttributes = unix.TCSETS
	bytesWaiting  = unix.TIOCINQ
	simulateKey   = unix.TIOCSTI
)
