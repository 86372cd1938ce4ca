package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// discard removes a draft whose text is kept elsewhere, and the directories that
// it leaves empty.
func discard(draft string) {
	_ = os.Remove(draft)
	_ = os.Remove(filepath.Dir(draft))
	_ = os.Remove(filepath.Dir(filepath.Dir(draft)))
}

// edit opens a private draft in $VISUAL or $EDITOR and returns what it holds
// afterwards, and its path. The caller discards the draft once its text is safe.
// When the editor fails, a draft with text stays and the error names it.
func (f *Factory) edit(ctx context.Context, initial, pattern string) (text, draft string, err error) {
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
	editor := first(f.Env("VISUAL"), f.Env("EDITOR"))
	if editor == "" {
		if !f.IO.InTTY && !f.IO.ErrTTY {
			discard(draft)
			return "", "", usagef("set VISUAL or EDITOR to an editor that needs no terminal", "there is no terminal to edit on")
		}
		editor = "vi"
		if runtime.GOOS == "windows" {
			editor = "notepad"
		}
	}
	command := editorCommand(ctx, editor, draft)
	command.Stdin, command.Stdout, command.Stderr = f.IO.In, f.IO.Out, f.IO.Err
	if !f.IO.InTTY || !f.IO.OutTTY {
		// The editor needs a terminal where a pipe took its place.
		in, out, terr := f.IO.TTY()
		if terr == nil {
			defer func() { _ = in.Close(); _ = out.Close() }()
			command.Stdin, command.Stdout = in, out
		}
	}
	if err := command.Run(); err != nil {
		if data, rerr := os.ReadFile(draft); rerr == nil && strings.TrimSpace(string(data)) == "" {
			discard(draft)
			return "", draft, &hintError{err: fmt.Errorf("the editor %q failed: %w", editor, err), hint: "set VISUAL or EDITOR to an editor that works"}
		}
		return "", draft, &hintError{err: fmt.Errorf("the editor %q failed: %w", editor, err), hint: "the text is kept in " + draft}
	}
	data, err := os.ReadFile(draft)
	return string(data), draft, err
}

// editorCommand runs an editor that may hold flags and quotes. On Unix the shell
// takes it apart, as git does; the file's name is never part of what it reads.
func editorCommand(ctx context.Context, editor, file string) *exec.Cmd {
	if runtime.GOOS != "windows" {
		return exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file)
	}
	if _, err := exec.LookPath(editor); err == nil {
		return exec.CommandContext(ctx, editor, file)
	}
	words := strings.Fields(editor)
	return exec.CommandContext(ctx, words[0], append(words[1:], filepath.Clean(file))...)
}
