//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// QuietInput turns the echo of the terminal off until restore is called, so that
// what is typed while something is waited for does not garble the screen. Ctrl-C
// works on, and what is typed is kept for who reads next. Without a terminal on
// stdin, or in the background, where the terminal belongs to another, it does
// nothing.
//
// The echo is back before a signal ends the process. The caller has to catch
// SIGINT, SIGTERM and SIGHUP itself: the first of them restores the echo for good and
// does no more here. SIGTSTP is left alone: the runtime of Go keeps the handler of a
// signal that was caught once, so that Ctrl-Z could never stop the process again, and
// a shell with job control sets the terminal to what it needs itself. When the
// process goes on, the echo goes again.
func (s *Streams) QuietInput() (restore func()) {
	tty, ok := s.In.(*os.File)
	if !ok || !s.InTTY {
		return func() {}
	}
	q := &quietInput{tty: tty}
	if !q.hide() {
		return func() {}
	}
	caught := make(chan os.Signal, 8)
	for _, one := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGCONT} {
		if !signal.Ignored(one) { // to catch what nohup or a shell ignores would undo that
			signal.Notify(caught, one)
		}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		q.watch(caught, quit)
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
		signal.Stop(caught)
		q.show()
	})
}

// HoldInput makes the terminal keep all that is typed until restore is called; in
// line mode, its default, it drops what exceeds 4096 bytes. Ctrl-C still works.
func (s *Streams) HoldInput() (restore func()) {
	tty, ok := s.In.(*os.File)
	if !ok || !inForeground(tty) {
		return func() {}
	}
	before, err := attributes(tty)
	if err != nil {
		return func() {}
	}
	held := *before
	held.Lflag &^= unix.ICANON
	held.Lflag |= unix.ISIG
	held.Cc[unix.VMIN], held.Cc[unix.VTIME] = 1, 0
	if setAttributes(tty, &held) != nil {
		return func() {}
	}
	return func() {
		if inForeground(tty) {
			_ = setAttributes(tty, before)
		}
	}
}

// quietInput is a terminal whose echo may be off.
type quietInput struct {
	tty    *os.File
	before *unix.Termios // what to restore, nil while the echo is as it was
}

// hide turns the echo off and reports whether it was on and ours to turn.
func (q *quietInput) hide() bool {
	if !q.ours() {
		return false
	}
	before, err := attributes(q.tty)
	if err != nil || before.Lflag&unix.ECHO == 0 {
		return false
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO | unix.ECHONL
	hidden.Lflag |= unix.ISIG
	if setAttributes(q.tty, &hidden) != nil {
		return false
	}
	q.before = before
	return true
}

// show restores the terminal. From the background the attempt would stop the process.
func (q *quietInput) show() {
	if q.before != nil && q.ours() {
		_ = setAttributes(q.tty, q.before)
		q.before = nil
	}
}

// ours reports whether the terminal may be changed: this process is in its
// foreground, or the terminal controls no jobs of ours at all.
func (q *quietInput) ours() bool {
	group := 0
	var err error
	cerr := control(q.tty, func(fd int) { group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP) })
	return cerr == nil && (err != nil || group == unix.Getpgrp())
}

func (q *quietInput) watch(caught chan os.Signal, quit <-chan struct{}) {
	for {
		select {
		case <-quit:
			return
		case got := <-caught:
			switch got {
			case syscall.SIGCONT:
				q.hide()
			case syscall.SIGQUIT:
				signal.Stop(caught)
				q.show()
				_ = syscall.Kill(syscall.Getpid(), syscall.SIGQUIT)
				return
			default:
				signal.Stop(caught)
				q.show()
				return
			}
		}
	}
}
