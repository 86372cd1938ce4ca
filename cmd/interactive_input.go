package cmd

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
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
		cli.Discard(file)
		return err
	}
	if i.next != "" && i.draft != nil {
		i.draft.Set(i.next)
		cli.Discard(file)
		return err
	}
	var failed *chat.FailedError
	if errors.As(err, &failed) {
		cli.Discard(file) // /again has it
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
			f.Print.Note("no file goes with the next question")
		}
		for _, file := range i.files {
			f.Print.Note("goes with the next question: %s, %d bytes", file.Name, len(file.Data))
		}
		return nil
	case "-":
		i.files = nil
		f.Print.Note("no file goes with the next question")
		return nil
	}
	path, err := i.path(name)
	if err != nil {
		return err
	}
	data, err := readFile(ctx, path)
	if failure.Of(err).Kind == failure.Usage {
		return failure.Usagef("usage: /file PATH; Tab completes it", "%v", err)
	}
	if err != nil {
		return err
	}
	file := chat.File{Name: path, Data: data}
	if _, err := (chat.Prompt{Files: append(i.files[:len(i.files):len(i.files)], file)}).Assemble(); err != nil {
		return promptError(err)
	}
	i.files = append(i.files, file)
	f.Print.Note("%s goes with the next question, %d bytes", path, len(data))
	return nil
}
