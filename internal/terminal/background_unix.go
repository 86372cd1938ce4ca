//go:build unix

package terminal

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

var errBusy = errors.New("the terminal is in use")

// quietly makes tty deliver each byte at once and echo none, and returns how to
// restore it. It fails where this process is not in the foreground, because
// changing the modes would stop it (SIGTTOU), and where something is typed
// already: an unfinished line shows itself in the new mode alone.
func quietly(tty *os.File) (restore func() error, err error) {
	if !inForeground(tty) || waiting(tty) > 0 {
		return nil, errBusy
	}
	before, err := attributes(tty)
	if err != nil {
		return nil, err
	}
	quiet := *before
	quiet.Lflag &^= unix.ECHO | unix.ICANON
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	if err := setAttributes(tty, &quiet); err != nil {
		return nil, err
	}
	restore = func() error { return setAttributes(tty, before) }
	if waiting(tty) > 0 {
		return nil, errors.Join(errBusy, restore())
	}
	return restore, nil
}

func inForeground(tty *os.File) bool {
	group := 0
	err := control(tty, func(fd int) {
		group, _ = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	})
	return err == nil && group == unix.Getpgrp()
}

// waiting is the number of bytes that can be read.
func waiting(tty *os.File) int {
	count := 0
	_ = control(tty, func(fd int) {
		count, _ = unix.IoctlGetInt(fd, bytesWaiting)
	})
	return count
}

// readUntil reads what there is, or waits for it until deadline; nothing is 0.
// It takes select, because the terminals of macOS know neither deadlines nor
// poll.
func readUntil(tty *os.File, buffer []byte, deadline time.Time) (n int, err error) {
	cerr := control(tty, func(fd int) {
		if fd >= unix.FD_SETSIZE {
			err = errBusy
			return
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
			return
		}
	})
	return max(n, 0), errors.Join(cerr, err)
}

// retype gives typed back to the terminal as if it was typed now, and returns
// what the system does not take.
func retype(tty *os.File, typed []byte) []byte {
	_ = control(tty, func(fd int) {
		for len(typed) > 0 && simulate(fd, typed[0]) == nil {
			typed = typed[1:]
		}
	})
	return typed
}

func simulate(fd int, key byte) error {
	return unix.IoctlSetString(fd, simulateKey, string([]byte{key}))
}
