package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

func newConversationsRenameCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "rename ID|TITLE TITLE",
		Short:             "Give a conversation another title",
		Long:              "Give a conversation another title. Until then its title is the beginning of its\nfirst question.",
		Example:           `  hobnob conversations rename 3f2a "release notes"`,
		ValidArgsFunction: complete{f}.first(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			title := strings.TrimSpace(args[1])
			if title == "" {
				return failure.Usagef("usage: "+cmd.UseLine(), "a title cannot be empty")
			}
			ctx := cmd.Context()
			return changeConversation(ctx, f, args[0], func(store *history.Store, c history.Conversation) (string, error) {
				return fmt.Sprintf("%s is now called %q", history.Short(c.ID), title), store.Rename(ctx, c.ID, title)
			})
		},
	}
}
