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
)

// slowInput is when a person is told what is being waited for.
const slowInput = 2 * time.Second

// prompt reads everything that the question is made of.
func (o chatOptions) prompt(ctx context.Context) (string, error) {
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
				return "", usagef("name standard input once", "standard input is named twice")
			}
			data, err := o.readStdin(ctx)
			if err != nil {
				return "", err
			}
			p.Files = append(p.Files, chat.File{Name: "stdin", Data: data})
			continue
		}
		data, err := readFile(name)
		if err != nil {
			return "", err
		}
		p.Files = append(p.Files, chat.File{Name: name, Data: data})
	}
	implied := len(p.Words) == 0 && len(p.Files) == 0 && !o.Edit && !o.f.IO.InTTY
	if named || !slices.Contains(o.Files, "-") && (implied || carriesData(o.f.IO.In)) {
		data, err := o.readStdin(ctx)
		if err != nil {
			return "", err
		}
		p.Stdin = data
	}
	text, err := p.Assemble()
	if o.Edit && (err == nil || errors.Is(err, chat.ErrNothingToSay)) {
		if text, err = o.f.edit(ctx, text, "prompt-*.md"); err == nil {
			text, err = chat.Prompt{Stdin: []byte(text)}.Assemble()
		}
	}
	if errors.Is(err, chat.ErrNothingToSay) {
		return "", usagef(`ask like this: hobnob chat "how do I …?"`, "%v", err)
	}
	var bad *chat.TextError
	if errors.As(err, &bad) {
		return "", usagef("send text: convert it to UTF-8, or leave it out", "%v", err)
	}
	return text, err
}

// carriesData reports whether standard input was given on purpose: a pipe, or a
// regular file with content. A terminal, /dev/null and whatever a daemon leaves
// open are not read unasked.
func carriesData(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := file.Stat()
	return err == nil && (info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular() && info.Size() > 0)
}

// readStdin reads standard input, at most one byte more than a prompt may have.
func (o chatOptions) readStdin(ctx context.Context) ([]byte, error) {
	if o.f.IO.ErrTTY {
		hint := time.AfterFunc(slowInput, func() {
			o.f.note("reading standard input until it ends (Ctrl-D on a terminal)")
		})
		defer hint.Stop()
	}
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(o.f.IO.In, api.MaxPrompt+1))
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("cannot read standard input: %w", r.err)
		}
		return r.data, tooLarge("standard input", r.data)
	}
}

func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usagef("check the name after -f", "%v", err)
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, usagef("name its files, each with -f", "%s is a directory", name)
	}
	data, err := io.ReadAll(io.LimitReader(file, api.MaxPrompt+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return data, tooLarge(name, data)
}

func tooLarge(name string, data []byte) error {
	if len(data) > api.MaxPrompt {
		return usagef("send a part of it", "%s is larger than a prompt may be, %d MiB", name, api.MaxPrompt>>20)
	}
	return nil
}
