package terminal

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

func openTTY() (in, out *os.File, err error) {
	if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
		_ = in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// enableSequences enables escape sequences in the console f and reports whether it
// supports them. Consoles before Windows 10 do not.
func enableSequences(f *os.File) bool {
	_, err := modify(f, windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING, 0)
	return err == nil
}

// newSession runs a program without a window and without the keys of this console.
func newSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// disableEcho turns the echo off and returns a function that restores it.
func disableEcho(tty *os.File) (restore func() error, err error) {
	return modify(tty, windows.ENABLE_LINE_INPUT|windows.ENABLE_PROCESSED_INPUT, windows.ENABLE_ECHO_INPUT)
}

// modify changes the modes of a console and returns a function that restores them.
func modify(console *os.File, on, off uint32) (restore func() error, err error) {
	handle := windows.Handle(console.Fd())
	var before uint32
	if err := windows.GetConsoleMode(handle, &before); err != nil {
		return nil, err
	}
	return func() error { return windows.SetConsoleMode(handle, before) }, windows.SetConsoleMode(handle, before&^off|on)
}

// cbreakIfIdle and cbreak return an error, because the Windows console is not queried.
func cbreakIfIdle(*os.File) (func() error, error) { return nil, errors.ErrUnsupported }

func cbreak(*os.File) (func() error, error) { return nil, errors.ErrUnsupported }

func readUntil(*os.File, []byte, time.Time) (int, error) { return 0, errors.ErrUnsupported }

func retype(_ *os.File, typed []byte) []byte { return typed }

// quietInput and holdInput do nothing: a Windows console echoes typed text only while a
// program reads it, and preserves all of it.
func quietInput(*os.File) (restore func()) { return func() {} }

func holdInput(*os.File, bool) (restore func()) { return func() {} }

// canRunPager returns true and disableStop does nothing: Windows has no job control.
func canRunPager(io.Writer) bool { return true }

func disableStop(io.Writer) {}
