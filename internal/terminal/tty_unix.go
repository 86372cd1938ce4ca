//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

func openTTY() (in, out *os.File, err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	return tty, tty, err
}

// hideTyping turns the echo off and returns how to restore it. The flags are
// those of golang.org/x/term.ReadPassword, which cannot serve here: it cannot be
// interrupted, and turns the echo off at a moment that nobody knows.
func hideTyping(tty *os.File) (restore func() error, err error) {
	before, err := attributes(tty)
	if err != nil {
		return nil, err
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	hidden.Iflag |= unix.ICRNL
	if err := setAttributes(tty, &hidden); err != nil {
		return nil, err
	}
	return func() error { return setAttributes(tty, before) }, nil
}

func attributes(tty *os.File) (state *unix.Termios, err error) {
	cerr := control(tty, func(fd int) {
		state, err = unix.IoctlGetTermios(fd, getAttributes)
	})
	if cerr != nil {
		return nil, cerr
	}
	return state, err
}

func setAttributes(tty *os.File, state *unix.Termios) (err error) {
	cerr := control(tty, func(fd int) {
		err = unix.IoctlSetTermios(fd, putAttributes, state)
	})
	if cerr != nil {
		return cerr
	}
	return err
}

// control is used instead of Fd, which would take away the read deadline.
func control(tty *os.File, fn func(fd int)) error {
	conn, err := tty.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Control(func(fd uintptr) { fn(int(fd)) })
}
