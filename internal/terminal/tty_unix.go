//go:build unix

package terminal

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var errBusy = errors.New("the terminal is in use")

func openTTY() (in, out *os.File, err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	return tty, tty, err
}

// enableSequences returns true: only the Windows console has to be configured.
func enableSequences(*os.File) bool { return true }

// newSession detaches a program from this terminal.
func newSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// disableEcho turns the echo off and returns a function that restores it. It sets the same
// flags as golang.org/x/term.ReadPassword, which cannot be interrupted and does not
// report when the echo is off.
func disableEcho(tty *os.File) (restore func() error, err error) {
	return modify(tty, func(state *unix.Termios) {
		state.Lflag &^= unix.ECHO
		state.Lflag |= unix.ICANON | unix.ISIG
		state.Iflag |= unix.ICRNL
	})
}

// cbreakIfIdle makes tty deliver each byte immediately and without echo, and returns a
// function that restores the modes. It fails if this process is not in the foreground,
// because changing the modes would stop it (SIGTTOU), or if there is typed input. That
// is checked again in the new mode, which also makes an incomplete line readable.
func cbreakIfIdle(tty *os.File) (restore func() error, err error) {
	if !inForeground(tty) || waiting(tty) > 0 {
		return nil, errBusy
	}
	restore, err = cbreak(tty)
	if err == nil && waiting(tty) > 0 {
		return nil, errors.Join(errBusy, restore())
	}
	return restore, err
}

// cbreak is like cbreakIfIdle, but permits typed input.
func cbreak(tty *os.File) (restore func() error, err error) {
	if !inForeground(tty) {
		return nil, errBusy
	}
	return modify(tty, func(state *unix.Termios) {
		state.Lflag &^= unix.ECHO | unix.ICANON
		state.Cc[unix.VMIN], state.Cc[unix.VTIME] = 1, 0
	})
}

// disableStop makes Ctrl-Z an ordinary key. The function that SaveModes returns undoes it.
func disableStop(w io.Writer) {
	if file, ok := w.(*os.File); ok {
		_, _ = modify(file, func(state *unix.Termios) { state.Cc[unix.VSUSP] = disabledKey })
	}
}

// canRunPager reports whether a pager could use the terminal. In the background it would
// be stopped.
func canRunPager(w io.Writer) bool {
	file, ok := w.(*os.File)
	return !ok || inForeground(file)
}

func inForeground(tty *os.File) bool {
	group, err := foreground(tty)
	return err == nil && group == unix.Getpgrp()
}

// foreground returns the process group in the foreground of tty. It fails if tty is not
// the controlling terminal of this process.
func foreground(tty *os.File) (group int, err error) {
	return query(tty, unix.IoctlGetInt, unix.TIOCGPGRP)
}

// waiting returns the number of bytes that can be read without blocking.
func waiting(tty *os.File) int {
	count, _ := query(tty, unix.IoctlGetInt, bytesWaiting)
	return count
}

// readUntil reads available input, or waits for it until deadline and then returns 0. It
// uses select, because terminals on macOS support neither deadlines nor poll.
func readUntil(tty *os.File, buffer []byte, deadline time.Time) (n int, err error) {
	err = control(tty, func(fd int) error {
		if fd >= unix.FD_SETSIZE {
			return errBusy
		}
		for {
			var ready unix.FdSet
			ready.Set(fd)
			left := unix.NsecToTimeval(max(0, time.Until(deadline)).Nanoseconds())
			n, err = unix.Select(fd+1, &ready, nil, nil, &left)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if n > 0 && err == nil {
				n, err = unix.Read(fd, buffer)
			}
			return err
		}
	})
	return max(n, 0), err
}

// retype returns typed to the input of the terminal, and returns the rest that the system
// does not accept.
func retype(tty *os.File, typed []byte) []byte {
	_ = control(tty, func(fd int) error {
		for len(typed) > 0 && unix.IoctlSetString(fd, simulateKey, string(typed[:1])) == nil {
			typed = typed[1:]
		}
		return nil
	})
	return typed
}

// modify changes the modes of tty and returns a function that restores them.
func modify(tty *os.File, change func(state *unix.Termios)) (restore func() error, err error) {
	before, err := attributes(tty)
	if err != nil {
		return nil, err
	}
	after := *before
	change(&after)
	if err := setAttributes(tty, &after); err != nil {
		return nil, err
	}
	return func() error { return setAttributes(tty, before) }, nil
}

func attributes(tty *os.File) (*unix.Termios, error) {
	return query(tty, unix.IoctlGetTermios, getAttributes)
}

func setAttributes(tty *os.File, state *unix.Termios) error {
	return control(tty, func(fd int) error { return unix.IoctlSetTermios(fd, putAttributes, state) })
}

// query returns the result of an ioctl on tty.
func query[T any](tty *os.File, ioctl func(fd int, request uint) (T, error), request uint) (value T, err error) {
	err = control(tty, func(fd int) (err error) {
		value, err = ioctl(fd, request)
		return err
	})
	return value, err
}

// control calls fn with the descriptor of tty. Unlike Fd it does not disable the read
// deadline.
func control(tty *os.File, fn func(fd int) error) error {
	conn, err := tty.SyscallConn()
	if err != nil {
		return err
	}
	cerr := conn.Control(func(fd uintptr) { err = fn(int(fd)) })
	return errors.Join(cerr, err)
}
