package repl

import (
	"context"
	"errors"
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
		return failure.Usagef("end the name in .md, .json or .html", "there is no format %q", filepath.Ext(path))
	}
	export := transfer.Export{Store: s.ask.Chat.History, Conversations: []history.Conversation{c}, Format: format}
	_, err = export.WriteFiles(ctx, path, false)
	if errors.As(err, new(*transfer.ExistsError)) {
		return failure.WithHint(err, "choose another name")
	}
	if err == nil {
		s.f.Print.Note("exported 1 conversation to %s", path)
	}
	return err
}
