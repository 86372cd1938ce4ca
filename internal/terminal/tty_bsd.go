//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

const (
	getAttributes = unix.TIOCGETA
	putAttributes = unix.TIOCSETA
)
