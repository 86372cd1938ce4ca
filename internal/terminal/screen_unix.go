//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// raw makes tty deliver all keys immediately, without echo and without signals, and
// returns a function that restores the modes.
func raw(tty *os.File) (restore func() error, err error) {
	return modify(tty, func(state *unix.Termios) {
		state.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
		state.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
		state.Cc[unix.VMIN], state.Cc[unix.VTIME] = 1, 0
	})
}

// sizeOf returns the size of tty in columns and rows, or zeros.
func sizeOf(tty *os.File) (columns, rows int) {
	size, err := query(tty, unix.IoctlGetWinsize, unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

func (s *Screen) watch()   { signal.Notify(s.resized, syscall.SIGWINCH, syscall.SIGCONT) }
func (s *Screen) unwatch() { signal.Stop(s.resized) }
