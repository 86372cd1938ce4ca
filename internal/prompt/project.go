package prompt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// AddProject adds the files that the project file attaches to the first question of a
// conversation, before the others, and prints a note that names them. The budget is for
// all files. It returns the files that were skipped.
func (p *Parts) AddProject(ctx context.Context, f *cli.Factory, budget attach.Budget) ([]attach.Skipped, error) {
	project, err := f.ProjectInUse()
	if err != nil || len(project.Files) == 0 {
		return nil, err
	}
	root, err := os.OpenRoot(project.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", project.Dir, failure.Reason(err))
	}
	defer func() { _ = root.Close() }()
	reader := attach.Reader{Limit: api.MaxPrompt, Budget: budget.Without(p.Files), Root: root}
	for _, file := range p.Files {
		reader.Limit -= int64(len(file.Data))
	}
	found, err := reader.Read(ctx, project.Files)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, failure.WithHint(fmt.Errorf("cannot attach the files of %s: %w", project.Path(), err), "correct the file, or ignore it: HOBNOB_PROJECT=off")
	}
	found.Files = slices.DeleteFunc(found.Files, func(file attach.File) bool {
		return slices.ContainsFunc(p.Files, func(given attach.File) bool {
			return filepath.Base(given.Name) == filepath.Base(file.Name) && bytes.Equal(given.Data, file.Data)
		})
	})
	found.Skipped = slices.DeleteFunc(found.Skipped, func(s attach.Skipped) bool {
		return slices.ContainsFunc(p.Files, func(given attach.File) bool {
			return filepath.Base(given.Name) == filepath.Base(s.Name) && int64(len(given.Data)) == s.Size
		})
	})
	if len(found.Files) > 0 {
		f.Print.Note("attached %s", found.Summary("of the project"))
	}
	for _, note := range found.Omissions() {
		f.Print.Note("%s", note)
	}
	p.Files = slices.Concat(found.Files, p.Files)
	return found.Skipped, nil
}

// isEmpty reports whether the parts have no text.
func (p Parts) isEmpty() bool {
	_, err := p.Assemble()
	return errors.Is(err, ErrEmpty)
}
