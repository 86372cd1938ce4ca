package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

type conversationsRenameOptions struct {
	f *cli.Factory

	Ref   string
	Title string
}

func newConversationsRenameCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsRenameOptions{f: f}
	return &cobra.Command{
		Use:               "rename ID|TITLE TITLE",
		Short:             "Give a conversation another title",
		Long:              "Give a conversation another title. Until then its title is the beginning of its\nfirst question.",
		Example:           `  hobnob conversations rename 3f2a "release notes"`,
		Args:              exactArgs("ID", "TITLE"),
		ValidArgsFunction: firstArgumentOnly(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Ref, opts.Title = args[0], strings.TrimSpace(args[1])
			if opts.Title == "" {
				return failure.Usagef("usage: "+cmd.UseLine(), "a title cannot be empty")
			}
			return runConversationsRename(cmd.Context(), opts)
		},
	}
}

func runConversationsRename(ctx context.Context, opts conversationsRenameOptions) error {
	store, err := opts.f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	c, err := opts.f.Conversation(ctx, store, opts.Ref)
	if err != nil {
		return err
	}
	if err := store.Rename(ctx, c.ID, opts.Title); err != nil {
		return err
	}
	return opts.f.Print.Done("%s is now called %q", c.ID[:8], opts.Title)
}
