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

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Discard removes a draft whose text is saved elsewhere, and directories that are
// then empty.
func Discard(draft string) {
	_ = os.Remove(draft)
	_ = os.Remove(filepath.Dir(draft))
	_ = os.Remove(filepath.Dir(filepath.Dir(draft)))
}

// FinishDraft discards a draft if its text was recorded or answered. Otherwise it
// returns err with a hint that names the file of the draft.
func FinishDraft(draft string, recorded bool, err error) error {
	if draft == "" {
		return err
	}
	if err == nil || recorded {
		Discard(draft)
		return err
	}
	return failure.WithHint(err, "the text is saved in %s", draft)
}

// Edit opens a private draft in $VISUAL or $EDITOR and returns the edited text and
// the path of the draft. The caller discards the draft when the text is saved
// elsewhere. If the editor fails, a draft with text remains and the error names it.
func (f *Factory) Edit(ctx context.Context, initial, pattern string) (text, draft string, err error) {
	paths, err := f.Paths()
	if err != nil {
		return "", "", err
	}
	dir := filepath.Join(paths.StateDir, "drafts")
	if err := atomicfile.MakeDir(dir); err != nil {
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
			return "", "", failure.Usagef("set VISUAL or EDITOR to an editor that does not need a terminal", "cannot run the editor: no terminal")
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
	f.IO.DrainResponses() // or the editor would read them as keys
	if !f.IO.InTTY || !f.IO.OutTTY {
		// Standard input or output is a pipe, but the editor needs a terminal.
		in, out, terr := f.IO.TTY()
		if terr == nil {
			defer func() { _ = in.Close(); _ = out.Close() }()
			command.Stdin, command.Stdout = in, out
		}
	}
	defer f.Print.LeaveInterrupts()()
	if err := command.Run(); err != nil {
		if data, rerr := input.ReadFile(draft, input.NoLimit); rerr == nil && strings.TrimSpace(string(data)) == "" {
			Discard(draft)
			return "", draft, failure.WithHint(editorError(editor, err), "set VISUAL or EDITOR to a working editor")
		}
		hint := "the text is saved in " + draft
		if isMissing(err) {
			hint += "; set VISUAL or EDITOR to a working editor"
		}
		return "", draft, failure.WithHint(editorError(editor, err), "%s", hint)
	}
	data, err := input.ReadFile(draft, input.NoLimit)
	return string(data), draft, err
}

// editorError returns the error of an editor that failed, with the reason.
func editorError(editor string, err error) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 127:
		return fmt.Errorf("cannot run the editor %q: command not found", editor)
	case errors.As(err, &exit) && exit.ExitCode() == 126:
		return fmt.Errorf("cannot run the editor %q: permission denied", editor)
	case isMissing(err):
		return fmt.Errorf("cannot run the editor %q: %w", editor, failure.Reason(err))
	}
	return fmt.Errorf("the editor %q failed: %w", editor, failure.Reason(err))
}

// isMissing reports whether the editor could not be started; a shell then exits with
// 126 or 127.
func isMissing(err error) bool {
	var exit *exec.ExitError
	var start *exec.Error
	var path *os.PathError
	return errors.As(err, &start) || errors.As(err, &path) ||
		errors.As(err, &exit) && (exit.ExitCode() == 126 || exit.ExitCode() == 127)
}

// editorCommand returns the command that opens a file in an editor, which may include
// flags and quotes; see terminal.CommandLine. When ctx is cancelled, the editor gets
// SIGTERM, so that it can restore the terminal.
func editorCommand(ctx context.Context, editor, file string) (*exec.Cmd, error) {
	words, err := terminal.CommandLine(editor, file)
	if err != nil {
		return nil, failure.Usagef("set VISUAL or EDITOR to a working editor", "invalid editor %q: %v", editor, err)
	}
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	if runtime.GOOS != "windows" {
		command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
		command.WaitDelay = 3 * time.Second
	}
	return command, nil
}
