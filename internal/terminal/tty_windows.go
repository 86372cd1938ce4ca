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
	if f == nil {
		return false
	}
	handle := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(handle, &mode); err != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 ||
		windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// ownSession keeps a program from opening a window and from the keys of this console.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// hideTyping turns the echo off and returns how to restore it.
func hideTyping(tty *os.File) (restore func() error, err error) {
	handle := windows.Handle(tty.Fd())
	var before uint32
	if err := windows.GetConsoleMode(handle, &before); err != nil {
		return nil, err
	}
	hidden := before&^windows.ENABLE_ECHO_INPUT | windows.ENABLE_LINE_INPUT | windows.ENABLE_PROCESSED_INPUT
	if err := windows.SetConsoleMode(handle, hidden); err != nil {
		return nil, err
	}
	return func() error { return windows.SetConsoleMode(handle, before) }, nil
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
