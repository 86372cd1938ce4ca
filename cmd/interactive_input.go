package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/chat"
)

// compose writes the next question in the editor and asks it.
func (i *interactive) compose(ctx context.Context, initial string) error {
	text, file, err := i.opts.edited(ctx, initial)
	if err != nil {
		i.next = initial
		return err
	}
	i.keep(text)
	err = i.ask(ctx, text)
	if i.next != "" && i.draft != nil {
		i.draft.Set(i.next)
		discard(file)
		return err
	}
	var failed *chat.FailedError
	if errors.As(err, &failed) && failed.Conversation != "" {
		discard(file) // it is in the history
		return err
	}
	return keepDraft(file, chat.Answer{}, err)
}

// addFile adds a file to the next question.
func (i *interactive) addFile(ctx context.Context, name string) error {
	f := i.f
	switch name {
	case "":
		if len(i.files) == 0 {
			f.note("no file goes with the next question")
		}
		for _, file := range i.files {
			f.note("goes with the next question: %s, %d bytes", file.Name, len(file.Data))
		}
		return nil
	case "-":
		i.files = nil
		f.note("no file goes with the next question")
		return nil
	}
	path, err := i.path(name)
	if err != nil {
		return err
	}
	data, err := readFile(ctx, path)
	var usage *usageError
	if errors.As(err, &usage) {
		return usagef("usage: /file PATH; Tab completes it", "%s", usage.message)
	}
	if err != nil {
		return err
	}
	file := chat.File{Name: path, Data: data}
	if _, err := (chat.Prompt{Files: append(i.files[:len(i.files):len(i.files)], file)}).Assemble(); err != nil {
		return promptError(err)
	}
	i.files = append(i.files, file)
	f.note("%s goes with the next question, %d bytes", path, len(data))
	return nil
}

// path is a path as people type or drop it: with quotes around it, spaces behind
// backslashes, or the home directory as ~.
func (i *interactive) path(typed string) (string, error) {
	if n := len(typed); n > 1 && (typed[0] == '"' || typed[0] == '\'') && typed[n-1] == typed[0] {
		typed = typed[1 : n-1]
	} else if filepath.Separator == '/' {
		typed = strings.ReplaceAll(typed, `\ `, " ")
	}
	if rest, ok := strings.CutPrefix(typed, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("cannot find the home directory: %w", err)
		}
		typed = home + rest
	}
	return typed, nil
}
