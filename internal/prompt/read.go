package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/template"
)

// slowInput is when a note says what is being waited for.
const slowInput = 2 * time.Second

// Sources are what a user named for one question.
type Sources struct {
	Words     []string // arguments; "-" is standard input
	Files     []string // paths; "-" is standard input
	Template  string   // name, "" for none
	Variables []string // of the template, each NAME=VALUE
	Edit      bool     // the text is edited before it is asked
}

// Text returns the text of the question. The draft, if there is one, holds it
// until the caller has recorded it and calls cli.Discard. Errors are of kind
// failure.Usage where the user named the wrong thing.
func (s Sources) Text(ctx context.Context, f *cli.Factory) (text, draft string, err error) {
	text, err = s.assemble(ctx, f)
	if s.Edit && (err == nil || errors.Is(err, ErrNothingToSay)) {
		return Edit(ctx, f, text)
	}
	return text, "", err
}

func (s Sources) assemble(ctx context.Context, f *cli.Factory) (string, error) {
	var t *template.Template
	var values map[string]string
	if s.Template != "" {
		library, err := f.Templates()
		if err != nil {
			return "", err
		}
		if t, err = library.Find(strings.ToLower(s.Template)); err != nil {
			return "", err
		}
		if values, err = ParseVariables(s.Variables); err != nil {
			return "", err
		}
		if err := t.Check(slices.Sorted(maps.Keys(values))...); err != nil {
			return "", err
		}
	}
	parts, err := s.read(ctx, f.Print)
	switch {
	case err != nil:
		return "", err
	case t != nil:
		return parts.render(ctx, t, values, s.Edit, f.IO)
	}
	return parts.Assemble()
}

// read reads the files, and standard input where it is named or was given on
// purpose.
func (s Sources) read(ctx context.Context, p *cli.Printer) (Parts, error) {
	named := slices.Contains(s.Words, "-")
	parts := Parts{Words: slices.DeleteFunc(slices.Clone(s.Words), func(word string) bool { return word == "-" })}
	for _, name := range s.Files {
		file, read := File{Name: name}, func() ([]byte, error) { return ReadFile(ctx, name) }
		if name == "-" {
			if named || slices.ContainsFunc(parts.Files, func(f File) bool { return f.Name == "stdin" }) {
				return parts, failure.Usagef("name standard input once", "standard input is named twice")
			}
			file.Name, read = "stdin", func() ([]byte, error) { return readStdin(ctx, p) }
		}
		var err error
		if file.Data, err = read(); err != nil {
			return parts, err
		}
		parts.Files = append(parts.Files, file)
	}
	implied := len(parts.Words) == 0 && len(parts.Files) == 0 && !s.Edit && !p.IO.InTTY
	if named || !slices.Contains(s.Files, "-") && (implied || carriesData(p.IO.In)) {
		data, err := readStdin(ctx, p)
		if err != nil {
			return parts, err
		}
		parts.Stdin = data
	}
	return parts, nil
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

// readStdin reads standard input up to the size that a prompt may have.
func readStdin(ctx context.Context, p *cli.Printer) ([]byte, error) {
	if p.IO.ErrTTY {
		hint := time.AfterFunc(slowInput, func() {
			p.Note("reading standard input until it ends (Ctrl-D on a terminal)")
		})
		defer hint.Stop()
	}
	return interruptibly(ctx, func() ([]byte, error) {
		return readAll("standard input", p.IO.In)
	})
}

// ReadFile reads a file, which may be a pipe that no process writes to, up to the
// size that a prompt may have.
func ReadFile(ctx context.Context, name string) ([]byte, error) {
	return interruptibly(ctx, func() ([]byte, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, failure.Usagef("check the name after -f", "%v", err)
		}
		defer func() { _ = file.Close() }()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil, failure.Usagef("name its files, each with -f", "%s is a directory", name)
		}
		return readAll(name, file)
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

// readAll reads at most one byte more than a prompt may have.
func readAll(name string, in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, api.MaxPrompt+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(data) > api.MaxPrompt {
		return nil, failure.Usagef("send a part of it", "%s is larger than a prompt may be, %d MiB", name, api.MaxPrompt>>20)
	}
	return data, nil
}
