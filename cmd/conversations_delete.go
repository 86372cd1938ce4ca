package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newConversationsDeleteCommand(f *cli.Factory) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "delete ID|TITLE…", Aliases: []string{"rm"},
		Short: "Move conversations to the trash",
		Long: `Move conversations to the trash. They are no longer listed, searched or
continued. hobnob conversations restore brings them back, and prune --trash
removes them permanently. The built-in service no longer lists them. Other
services cannot delete conversations and still list them.`,
		Example:           "  hobnob conversations delete 3f2a 9b0c\n  hobnob conversations list --deleted",
		ValidArgsFunction: complete{f}.conversations,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeTrash(cmd.Context(), f, args, false, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be deleted and change nothing")
	return cmd
}
