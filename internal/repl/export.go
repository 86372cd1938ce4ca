package repl

import (
	"context"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/transfer"
)

func runExport(ctx context.Context, s *session, name string) error {
	c, err := s.at.Conversation(ctx)
	if err != nil {
		return err
	}
	path, err := typedPath(name)
	if err != nil {
		return err
	}
	format, err := transfer.ExportFormat("", path, false)
	if err != nil {
		return failure.Usagef("use a file name that ends in .md, .json or .html", "unknown format %q", filepath.Ext(path))
	}
	export := transfer.Export{Store: s.ask.Chat.History, Conversations: []history.Conversation{c}, Format: format}
	written, err := export.WriteFiles(ctx, path, s.replace(ctx))
	switch {
	case err != nil:
		return err
	case written == nil:
		s.f.Print.Note("nothing was written")
	default:
		s.f.Print.Note("exported 1 conversation to %s", path)
	}
	return nil
}

// replace returns a function that asks whether to replace existing files.
func (s *session) replace(ctx context.Context) transfer.Replace {
	return func(existing []string) (bool, error) {
		noTerminal := failure.WithHint(&transfer.ExistsError{Path: existing[0]}, "choose another name")
		return s.f.Print.Confirm(ctx, transfer.Question(existing), noTerminal)
	}
}
