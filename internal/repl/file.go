package repl

import (
	"context"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

func runFile(ctx context.Context, s *session, name string) error {
	if name == "-" {
		s.files = nil
	}
	if name == "-" || name == "" {
		for _, file := range s.files {
			s.f.Print.Note("goes with the next question: %s, %d bytes", file.Name, len(file.Data))
		}
		if len(s.files) == 0 {
			s.f.Print.Note("no file goes with the next question")
		}
		return nil
	}
	path, err := typedPath(name)
	if err != nil {
		return err
	}
	data, err := prompt.ReadFile(ctx, path)
	if failure.Of(err).Kind == failure.Usage {
		return failure.Usagef("usage: /file PATH; Tab completes it", "%v", err)
	}
	if err != nil {
		return err
	}
	files := append(slices.Clip(s.files), prompt.File{Name: path, Data: data})
	if _, err := (prompt.Parts{Files: files}).Assemble(); err != nil {
		return err
	}
	s.files = files
	s.f.Print.Note("%s goes with the next question, %d bytes", path, len(data))
	return nil
}
