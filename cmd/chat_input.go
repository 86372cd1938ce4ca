package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// slowInput is when a person is told what is being waited for.
const slowInput = 2 * time.Second

// prompt reads everything that the question is made of. A draft, if there is one,
// holds the text until it is kept elsewhere.
func (o chatOptions) prompt(ctx context.Context) (text, draft string, err error) {
	t, err := o.template()
	if err != nil {
		return "", "", err
	}
	p, err := o.parts(ctx)
	if err != nil {
		return "", "", err
	}
	text, err = o.assemble(ctx, t, p)
	if o.Edit && (err == nil || errors.Is(err, chat.ErrNothingToSay)) {
		return o.edited(ctx, text)
	}
	return text, "", promptError(err)
}

// edited lets the user change a text in the editor.
func (o chatOptions) edited(ctx context.Context, initial string) (text, draft string, err error) {
	if text, draft, err = o.f.Edit(ctx, initial, "prompt-*.md"); err != nil {
		return "", "", err
	}
	text, err = chat.Prompt{Stdin: []byte(text)}.Assemble()
	if errors.Is(err, chat.ErrNothingToSay) {
		cli.Discard(draft)
		return "", "", failure.Usagef("save your text in it; an editor with a window of its own must wait, like code --wait", "%v: the editor left the file empty", err)
	} else if err != nil {
		return "", "", failure.WithHint(promptError(err), "%s", "the text is kept in "+draft)
	}
	return text, draft, promptError(err)
}

// promptError makes what is wrong with a prompt an error of usage.
func promptError(err error) error {
	if errors.Is(err, chat.ErrNothingToSay) {
		return failure.Usagef(`ask like this: hobnob chat "how do I …?"`, "%v", err)
	}
	var bad *chat.TextError
	if errors.As(err, &bad) {
		return failure.Usagef("send text: convert it to UTF-8, or leave it out", "%v", err)
	}
	return err
}

// parts reads the files and standard input.
func (o chatOptions) parts(ctx context.Context) (chat.Prompt, error) {
	p := chat.Prompt{}
	named := false // standard input, by a "-"
	for _, word := range o.Words {
		if word == "-" {
			named = true
			continue
		}
		p.Words = append(p.Words, word)
	}
	for _, name := range o.Files {
		if name == "-" {
			if named || slices.ContainsFunc(p.Files, func(f chat.File) bool { return f.Name == "stdin" }) {
				return p, failure.Usagef("name standard input once", "standard input is named twice")
			}
			data, err := o.readStdin(ctx)
			if err != nil {
				return p, err
			}
			p.Files = append(p.Files, chat.File{Name: "stdin", Data: data})
			continue
		}
		data, err := readFile(ctx, name)
		if err != nil {
			return p, err
		}
		p.Files = append(p.Files, chat.File{Name: name, Data: data})
	}
	implied := len(p.Words) == 0 && len(p.Files) == 0 && !o.Edit && !o.f.IO.InTTY
	if named || !slices.Contains(o.Files, "-") && (implied || carriesData(o.f.IO.In)) {
		data, err := o.readStdin(ctx)
		if err != nil {
			return p, err
		}
		p.Stdin = data
	}
	return p, nil
}

// carriesData reports whether standard input was given on purpose: a pipe (which
// is a socket where some programs start others), or a regular file with content.
// A terminal and /dev/null are not read unasked.
func carriesData(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := file.Stat()
	return err == nil && (info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 || info.Mode().IsRegular() && info.Size() > 0)
}

// readStdin reads standard input, at most one byte more than a prompt may have.
func (o chatOptions) readStdin(ctx context.Context) ([]byte, error) {
	if o.f.IO.ErrTTY {
		hint := time.AfterFunc(slowInput, func() {
			o.f.Print.Note("reading standard input until it ends (Ctrl-D on a terminal)")
		})
		defer hint.Stop()
	}
	return interruptibly(ctx, func() ([]byte, error) {
		data, err := io.ReadAll(io.LimitReader(o.f.IO.In, api.MaxPrompt+1))
		if err != nil {
			return nil, fmt.Errorf("cannot read standard input: %w", err)
		}
		return data, tooLarge("standard input", data)
	})
}

// readFile reads a file, which may be a pipe that nobody writes to.
func readFile(ctx context.Context, name string) ([]byte, error) {
	return interruptibly(ctx, func() ([]byte, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, failure.Usagef("check the name after -f", "%v", err)
		}
		defer func() { _ = file.Close() }()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil, failure.Usagef("name its files, each with -f", "%s is a directory", name)
		}
		data, err := io.ReadAll(io.LimitReader(file, api.MaxPrompt+1))
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", name, err)
		}
		return data, tooLarge(name, data)
	})
}

// interruptibly waits for read, or for the end of ctx: a read that hangs cannot
// be stopped, only left behind.
func interruptibly(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		return r.data, r.err
	}
}

func tooLarge(name string, data []byte) error {
	if len(data) > api.MaxPrompt {
		return failure.Usagef("send a part of it", "%s is larger than a prompt may be, %d MiB", name, api.MaxPrompt>>20)
	}
	return nil
}
