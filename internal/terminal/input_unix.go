//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// holdInput implements HoldInput.
func holdInput(tty *os.File, lines bool) (restore func()) {
	if !inForeground(tty) {
		return func() {}
	}
	before, err := modify(tty, func(state *unix.Termios) {
		state.Lflag |= unix.ISIG | unix.NOFLSH
		if !lines {
			state.Lflag &^= unix.ICANON
			state.Cc[unix.VMIN], state.Cc[unix.VTIME] = 1, 0
		}
	})
	return func() {
		if err == nil && inForeground(tty) {
			_ = before()
		}
	}
}

// quietInput implements QuietInput.
func quietInput(tty *os.File) (restore func()) {
	e := &echo{tty: tty}
	if !e.hide() {
		return func() {}
	}
	caught := make(chan os.Signal, 8)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGCONT} {
		if !signal.Ignored(sig) { // Notify would undo what nohup or a shell has set
			signal.Notify(caught, sig)
		}
	}
	stop := inBackground(func(quit <-chan struct{}) { e.watch(caught, quit) })
	return sync.OnceFunc(func() {
		stop()
		signal.Stop(caught)
		e.show()
	})
}

// echo controls the echo of a terminal.
type echo struct {
	tty     *os.File
	restore func() error // nil while the echo is unchanged
}

// hide turns the echo off, and reports whether it was on and this process could change
// it.
func (e *echo) hide() bool {
	state, err := attributes(e.tty)
	if err != nil || state.Lflag&unix.ECHO == 0 || !e.mayChange() {
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

// show restores the echo, except in the background, where that would stop the process.
func (e *echo) show() {
	if e.restore != nil && e.mayChange() {
		_ = e.restore()
		e.restore = nil
	}
}

// mayChange reports whether this process may change the terminal: it is in the
// foreground, or the terminal is not its controlling terminal.
func (e *echo) mayChange() bool {
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
