package terminal

import "os"

// QuietInput turns the echo of the terminal off until restore is called, so that
// what is typed during a wait does not garble the screen. Ctrl-C still works, and
// the next reader gets what was typed. It does nothing if stdin is not a terminal or
// the process is in the background, where it may not change the terminal.
//
// The echo is restored before a signal ends the process. The caller has to catch
// SIGINT, SIGTERM and SIGHUP itself: the first of them restores the echo for good
// and has no other effect here. SIGTSTP is not caught: Go's runtime keeps the handler
// of a signal once caught, so that Ctrl-Z could never stop the process again, and a
// shell with job control sets the modes it needs itself. When the process continues,
// the echo is turned off again.
func (s *Streams) QuietInput() (restore func()) {
	if tty, ok := s.In.(*os.File); ok && s.InTTY {
		return quietInput(tty)
	}
	return func() {}
}

// HoldInput makes the terminal keep all that is typed until restore is called; in
// line mode, its default, it drops what exceeds 4096 bytes. Ctrl-C still works.
func (s *Streams) HoldInput() (restore func()) {
	if tty, ok := s.In.(*os.File); ok && s.InTTY {
		return holdInput(tty)
	}
	return func() {}
}
