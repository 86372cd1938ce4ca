package cmd

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/chat"
)

// compose writes the next question in the editor and asks it.
func (i *interactive) compose(ctx context.Context, initial string) error {
	return i.edit(ctx, initial, asLine)
}

// editLine edits what is typed in the editor and does what it says then.
func (i *interactive) editLine(ctx context.Context, initial string) error {
	return i.edit(ctx, initial, func(text string) string { return text })
}

// edit opens a text in the editor; line makes what is typed of one.
func (i *interactive) edit(ctx context.Context, initial string, line func(string) string) error {
	text, file, err := i.opts.edited(ctx, initial)
	if err != nil {
		i.next = line(initial)
		return err
	}
	text = line(text)
	i.keep(text)
	err = i.handle(ctx, text)
	if _, _, ok := slashCommand(text); ok {
		discard(file)
		return err
	}
	if i.next != "" && i.draft != nil {
		i.draft.Set(i.next)
		discard(file)
		return err
	}
	var failed *chat.FailedError
	if errors.As(err, &failed) {
		discard(file) // /again has it
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
