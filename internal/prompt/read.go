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
	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/template"
)

// slowInput is the delay before a note that standard input is being read.
const slowInput = 2 * time.Second

// Sources are the sources of one question, as named by the user.
type Sources struct {
	Words     []string // arguments; "-" is standard input
	Files     []string // files, directories, patterns and URLs; "-" is standard input
	Template  string   // name, or "" for none
	Variables []string // of the template, each NAME=VALUE
	Edit      bool     // open the text in the editor
	Begins    bool     // the question begins a conversation, so the files of the project are attached
	// Budget limits the files that are found in directories and by patterns.
	Budget attach.Budget
	// PrivateURLs permits files from addresses that are not public.
	PrivateURLs bool
}

// Assembled is the text of a question and what it was made from.
type Assembled struct {
	Text string
	attach.Found
	Stdin []byte // nil if not read
	// Draft is empty or the file with the text, which the caller passes to cli.Discard
	// when the text is recorded.
	Draft string
}

// Assemble returns the question. If the command line is wrong, the error is of kind
// failure.Usage.
func (s Sources) Assemble(ctx context.Context, f *cli.Factory) (Assembled, error) {
	asked, err := s.assemble(ctx, f)
	if s.Edit && (err == nil || errors.Is(err, ErrEmpty)) {
		asked.Text, asked.Draft, err = Edit(ctx, f, asked.Text)
	}
	return asked, err
}

func (s Sources) assemble(ctx context.Context, f *cli.Factory) (asked Assembled, err error) {
	var t *template.Template
	var values map[string]string
	if s.Template != "" {
		library, err := f.Templates()
		if err != nil {
			return asked, err
		}
		if t, err = library.Find(strings.ToLower(s.Template)); err != nil {
			return asked, err
		}
		if values, err = ParseVariables(s.Variables); err != nil {
			return asked, err
		}
		if err := t.Check(slices.Sorted(maps.Keys(values))...); err != nil {
			return asked, err
		}
	}
	parts, found, err := s.read(ctx, f.Print)
	if err == nil && s.Begins && (t != nil || s.Edit || !parts.isEmpty()) {
		var skipped []attach.Skipped
		skipped, err = parts.AddProject(ctx, f, s.Budget)
		found.Files, found.Skipped = parts.Files, append(skipped, found.Skipped...)
	}
	asked.Found, asked.Stdin = found, parts.Stdin
	switch {
	case err != nil:
	case t != nil:
		asked.Text, err = parts.render(ctx, t, values, s.Edit, f.IO)
	default:
		asked.Text, err = parts.Assemble()
	}
	return asked, err
}

// read reads the files, and standard input if it is named or carries data.
func (s Sources) read(ctx context.Context, p *cli.Printer) (parts Parts, found attach.Found, err error) {
	named := slices.Contains(s.Words, attach.Stdin)
	parts.Words = slices.DeleteFunc(slices.Clone(s.Words), func(word string) bool { return word == attach.Stdin })
	if named && slices.Contains(s.Files, attach.Stdin) {
		return parts, found, attach.ErrTwice
	}
	reader := attach.Reader{Limit: api.MaxPrompt, Budget: s.Budget, PrivateURLs: s.PrivateURLs, Stdin: func() ([]byte, error) { return readStdin(ctx, p) }}
	if found, err = reader.Read(ctx, s.Files); err != nil {
		return parts, found, err
	}
	parts.Files = found.Files
	for _, note := range found.Notes() {
		p.Note("%s", note)
	}
	implied := len(parts.Words) == 0 && len(parts.Files) == 0 && !s.Edit && !p.IO.InTTY
	if named || !slices.Contains(s.Files, attach.Stdin) && (implied || carriesData(p.IO.In)) {
		parts.Stdin, err = readStdin(ctx, p)
	}
	return parts, found, err
}

// carriesData reports whether in is a pipe, a socket (which some programs use as a pipe)
// or a regular file that is not empty. Others, such as a terminal and /dev/null, are read
// only if named.
func carriesData(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := file.Stat()
	return err == nil && (info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 || info.Mode().IsRegular() && info.Size() > 0)
}

// readStdin reads standard input up to the maximum size of a prompt.
func readStdin(ctx context.Context, p *cli.Printer) ([]byte, error) {
	if p.IO.ErrTTY {
		hint := time.AfterFunc(slowInput, func() {
			p.Note("reading standard input (end with Ctrl-D on a terminal)")
		})
		defer hint.Stop()
	}
	return input.Await(ctx, func() ([]byte, error) {
		return readAll("standard input", p.IO.In)
	})
}

// readAll reads in and returns an error if it exceeds the maximum size of a prompt.
func readAll(name string, in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, api.MaxPrompt+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(data) > api.MaxPrompt {
		return nil, failure.Usagef("send a part of it", "%s is larger than the limit of %d MiB", name, api.MaxPrompt>>20)
	}
	return data, nil
}
