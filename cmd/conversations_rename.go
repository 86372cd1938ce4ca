package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

type conversationsRenameOptions struct {
	f *Factory

	Ref   string
	Title string
}

func newConversationsRenameCommand(f *Factory) *cobra.Command {
	opts := conversationsRenameOptions{f: f}
	return &cobra.Command{
		Use:               "rename ID|TITLE TITLE",
		Short:             "Give a conversation another title",
		Long:              "Give a conversation another title. Until then its title is the beginning of its\nfirst question.",
		Example:           `  hobnob conversations rename 3f2a "release notes"`,
		Args:              exactArgs("ID", "TITLE"),
		ValidArgsFunction: f.completeFirst(f.completeConversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Ref, opts.Title = args[0], strings.TrimSpace(args[1])
			if opts.Title == "" {
				return usagef("usage: "+cmd.UseLine(), "a title cannot be empty")
			}
			return runConversationsRename(cmd.Context(), opts)
		},
	}
}

func runConversationsRename(ctx context.Context, opts conversationsRenameOptions) error {
	store, err := opts.f.existing(ctx, opts.Ref)
	if err != nil {
		return err
	}
	c, err := opts.f.conversation(ctx, store, opts.Ref)
	if err != nil {
		return err
	}
	if err := store.Rename(ctx, c.ID, opts.Title); err != nil {
		return err
	}
	return opts.f.done("%s is now called %q", c.ID[:8], opts.Title)
}
