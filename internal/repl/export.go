package repl

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/transfer"
)

func exportCommand() command {
	return command{
		name: "export", argument: "PATH", help: "write the conversation to a file", more: "The name decides: .md, .json or .html.",
		run: runExport, complete: completePath,
	}
}

func runExport(s *session, ctx context.Context, name string) error {
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
		return usage("end the name in .md, .json or .html", "there is no format %q", filepath.Ext(path))
	}
	export := transfer.Export{Store: s.ask.Chat.History, Conversations: []history.Conversation{c}, Format: format}
	_, err = export.WriteFiles(ctx, path, false)
	if errors.As(err, new(*transfer.ExistsError)) {
		return failure.WithHint(err, "choose another name")
	}
	if err == nil {
		s.print.Note("exported %s to %s", cli.Counted(1, "conversation"), path)
	}
	return err
}
