//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// holdInput changes the modes for HoldInput.
func holdInput(tty *os.File) (restore func()) {
	if !inForeground(tty) {
		return func() {}
	}
	before, err := modify(tty, func(state *unix.Termios) {
		state.Lflag &^= unix.ICANON
		state.Lflag |= unix.ISIG
		state.Cc[unix.VMIN], state.Cc[unix.VTIME] = 1, 0
	})
	return func() {
		if err == nil && inForeground(tty) {
			_ = before()
		}
	}
}

// quietInput turns the echo off for QuietInput.
func quietInput(tty *os.File) (restore func()) {
	e := &echo{tty: tty}
	if !e.hide() {
		return func() {}
	}
	caught := make(chan os.Signal, 8)
	for _, one := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGCONT} {
		if !signal.Ignored(one) { // catching what nohup or a shell ignores would undo that
			signal.Notify(caught, one)
		}
	}
	stop := inBackground(func(quit <-chan struct{}) { e.watch(caught, quit) })
	return sync.OnceFunc(func() {
		stop()
		signal.Stop(caught)
		e.show()
	})
}

// echo is the echo of a terminal.
type echo struct {
	tty     *os.File
	restore func() error // nil while the echo is as it was
}

// hide turns the echo off and reports whether it was on and this process may change it.
func (e *echo) hide() bool {
	state, err := attributes(e.tty)
	if err != nil || state.Lflag&unix.ECHO == 0 || !e.ours() {
		return false
	}
	restore, err := modify(e.tty, func(state *unix.Termios) {
		state.Lflag &^= unix.ECHO | unix.ECHONL
		state.Lflag |= unix.ISIG
	})
	if err == nil {
		e.restore = restore
	}
	return err == nil
}

// show restores the echo. In the background the attempt would stop the process.
func (e *echo) show() {
	if e.restore != nil && e.ours() {
		_ = e.restore()
		e.restore = nil
	}
}

// ours reports whether this process is in the foreground of the terminal, or the
// terminal does not control its jobs at all.
func (e *echo) ours() bool {
	group, err := foreground(e.tty)
	return err != nil || group == unix.Getpgrp()
}

func (e *echo) watch(caught chan os.Signal, quit <-chan struct{}) {
	for {
		select {
		case <-quit:
			return
		case got := <-caught:
			if got == syscall.SIGCONT {
				e.hide()
				continue
			}
			signal.Stop(caught)
			e.show()
			if got == syscall.SIGQUIT {
				_ = syscall.Kill(syscall.Getpid(), syscall.SIGQUIT)
			}
			return
		}
	}
}
