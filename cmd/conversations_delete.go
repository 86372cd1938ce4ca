package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newConversationsDeleteCommand(f *cli.Factory) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "delete ID|TITLE…", Aliases: []string{"rm"},
		Short: "Put conversations into the trash",
		Long: `Put conversations into the trash: they are neither listed nor searched nor
continued. hobnob conversations restore gives them back, and prune --trash removes
them for good. The service is told nothing: it has no way to delete.`,
		Example:           "  hobnob conversations delete 3f2a 9b0c\n  hobnob conversations list --deleted",
		ValidArgsFunction: complete{f}.conversations,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeTrash(cmd.Context(), f, args, false, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be deleted and change nothing")
	return cmd
}
