package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Discard removes a draft whose text is saved elsewhere, and the directories that
// it leaves empty.
func Discard(draft string) {
	_ = os.Remove(draft)
	_ = os.Remove(filepath.Dir(draft))
	_ = os.Remove(filepath.Dir(filepath.Dir(draft)))
}

// Edit opens a private draft in $VISUAL or $EDITOR and returns what it holds
// afterwards, and its path. The caller discards the draft once its text is safe.
// When the editor fails, a draft with text stays and the error names it.
func (f *Factory) Edit(ctx context.Context, initial, pattern string) (text, draft string, err error) {
	paths, err := f.Paths()
	if err != nil {
		return "", "", err
	}
	dir := filepath.Join(paths.StateDir, "drafts")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	file, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", "", err
	}
	draft = file.Name()
	_, err = file.WriteString(initial)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", draft, err
	}
	editor := strings.TrimSpace(cmp.Or(f.Env("VISUAL"), f.Env("EDITOR")))
	if editor == "" {
		if !f.IO.InTTY && !f.IO.ErrTTY {
			Discard(draft)
			return "", "", failure.Usagef("set VISUAL or EDITOR to an editor that needs no terminal", "there is no terminal to edit on")
		}
		editor = "vi"
		if runtime.GOOS == "windows" {
			editor = "notepad"
		}
	}
	command, err := editorCommand(ctx, editor, draft)
	if err != nil {
		Discard(draft)
		return "", "", err
	}
	command.Stdin, command.Stdout, command.Stderr = f.IO.In, f.IO.Out, f.IO.Err
	if !f.IO.InTTY || !f.IO.OutTTY {
		// The editor needs a terminal where a pipe took its place.
		in, out, terr := f.IO.TTY()
		if terr == nil {
			defer func() { _ = in.Close(); _ = out.Close() }()
			command.Stdin, command.Stdout = in, out
		}
	}
	defer f.Print.LeaveInterrupts()()
	if err := command.Run(); err != nil {
		if data, rerr := os.ReadFile(draft); rerr == nil && strings.TrimSpace(string(data)) == "" {
			Discard(draft)
			return "", draft, failure.WithHint(fmt.Errorf("the editor %q failed: %w", editor, err), "set VISUAL or EDITOR to an editor that works")
		}
		hint := "the text is kept in " + draft
		if isMissing(err) {
			hint += "; set VISUAL or EDITOR to an editor that works"
		}
		return "", draft, failure.WithHint(fmt.Errorf("the editor %q failed: %w", editor, err), "%s", hint)
	}
	data, err := os.ReadFile(draft)
	return string(data), draft, err
}

// isMissing holds for an editor that could not be started; 126 and 127 are what a
// shell says of that.
func isMissing(err error) bool {
	var exit *exec.ExitError
	var start *exec.Error
	var path *os.PathError
	return errors.As(err, &start) || errors.As(err, &path) ||
		errors.As(err, &exit) && (exit.ExitCode() == 126 || exit.ExitCode() == 127)
}

// editorCommand runs an editor that may hold flags and quotes; see
// terminal.CommandLine. A signal that ends hobnob asks the editor to end, so that it
// leaves the terminal as it was.
func editorCommand(ctx context.Context, editor, file string) (*exec.Cmd, error) {
	words, err := terminal.CommandLine(editor, file)
	if err != nil {
		return nil, failure.Usagef("set VISUAL or EDITOR to an editor that works", "the editor %q cannot be read: %v", editor, err)
	}
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	if runtime.GOOS != "windows" {
		command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
		command.WaitDelay = 3 * time.Second
	}
	return command, nil
}
