package repl

import (
	"context"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

// clearFiles is the argument of /file that detaches all files.
const clearFiles = "clear"

func runFile(ctx context.Context, s *session, name string) error {
	switch name {
	case clearFiles, "-":
		s.files = nil
		listFiles(s)
		return nil
	case "":
		listFiles(s)
		return nil
	}
	path, err := typedPath(name)
	if err != nil {
		return err
	}
	budget, err := s.ask.FileBudget(ctx, s.at.Question)
	if err != nil {
		return err
	}
	found, err := attach.Reader{Limit: api.MaxPrompt, Budget: budget.Without(s.files)}.Read(ctx, []string{path})
	if failure.Of(err).Kind == failure.Usage && !attach.IsURL(path) {
		return failure.Usagef("usage: /file PATH; Tab completes the path", "%v", err)
	}
	if err != nil {
		return err
	}
	files := slices.Concat(s.files, found.Files)
	if _, err := (prompt.Parts{Files: files}).Assemble(); err != nil {
		return err
	}
	s.files = files
	if notes := found.Notes(); len(notes) > 0 { // a directory or a pattern may have many files
		for _, note := range notes {
			s.f.Print.Note("%s", note)
		}
		return nil
	}
	for _, file := range found.Files {
		noteFile(s, file)
	}
	return nil
}

func listFiles(s *session) {
	for _, file := range s.files {
		noteFile(s, file)
	}
	if len(s.files) == 0 {
		s.f.Print.Note("no files attached")
	}
}

func noteFile(s *session, file attach.File) {
	s.f.Print.Note("attached to the next question: %s, %s", file.Name, plural.Bytes(int64(len(file.Data))))
}

func completeFile(ctx context.Context, s *session, typed string) []lineedit.Candidate {
	out := completePath(ctx, s, typed)
	if len(s.files) > 0 {
		out = append([]lineedit.Candidate{{Value: clearFiles, Description: "detach all files"}}, out...)
	}
	return out
}
