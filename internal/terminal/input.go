package terminal

import "os"

// QuietInput turns the echo of the terminal off until restore is called, so that typing
// during a wait does not garble the screen. Ctrl-C still works, and the next reader gets
// the typed text. QuietInput does nothing if stdin is not a terminal or the process is
// in the background, where it may not change the terminal.
//
// The echo is restored before a signal terminates the process. The caller must catch
// SIGINT, SIGTERM and SIGHUP; here, the first of them only restores the echo for good.
// SIGTSTP is not caught: Go's runtime does not remove the handler of a signal, so Ctrl-Z
// could not stop the process from then on, and a shell with job control sets its modes
// itself. When the process continues, the echo is turned off again.
func (s *Streams) QuietInput() (restore func()) {
	if tty, ok := s.In.(*os.File); ok && s.InTTY {
		return quietInput(tty)
	}
	return func() {}
}

// HoldInput makes the terminal preserve typed text until restore is called, even when
// Ctrl-C is pressed, which still works. With lines the terminal stays in line mode, in
// which it discards input beyond 4096 bytes.
func (s *Streams) HoldInput(lines bool) (restore func()) {
	if tty, ok := s.In.(*os.File); ok && s.InTTY {
		return holdInput(tty, lines)
	}
	return func() {}
}
