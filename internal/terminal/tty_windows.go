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

// obeysSequences switches the console of f to understand escape sequences and
// reports whether it does; consoles before Windows 10 do not.
func obeysSequences(f *os.File) bool {
	_, err := modify(f, windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING, 0)
	return err == nil
}

// ownSession keeps a program from opening a window and from the keys of this console.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// hideTyping turns the echo off and returns how to restore it.
func hideTyping(tty *os.File) (restore func() error, err error) {
	return modify(tty, windows.ENABLE_LINE_INPUT|windows.ENABLE_PROCESSED_INPUT, windows.ENABLE_ECHO_INPUT)
}

// modify changes the modes of a console and returns how to restore them.
func modify(console *os.File, on, off uint32) (restore func() error, err error) {
	handle := windows.Handle(console.Fd())
	var before uint32
	if err := windows.GetConsoleMode(handle, &before); err != nil {
		return nil, err
	}
	return func() error { return windows.SetConsoleMode(handle, before) }, windows.SetConsoleMode(handle, before&^off|on)
}

// quietly fails: the Windows console is not asked anything.
func quietly(*os.File) (func() error, error) { return nil, errors.ErrUnsupported }

func readUntil(*os.File, []byte, time.Time) (int, error) { return 0, errors.ErrUnsupported }

func retype(_ *os.File, typed []byte) []byte { return typed }

// quietInput and holdInput do nothing: a Windows console shows what is typed only
// while a program reads it, and keeps all of it.
func quietInput(*os.File) (restore func()) { return func() {} }

func holdInput(*os.File) (restore func()) { return func() {} }

// ownsTerminal is true and disableStop does nothing: Windows has no job control.
func ownsTerminal(io.Writer) bool { return true }

func disableStop(io.Writer) {}
