package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newConversationsRestoreCommand(f *cli.Factory) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:               "restore ID|TITLE…",
		Short:             "Restore conversations from the trash",
		Example:           "  hobnob conversations list --deleted\n  hobnob conversations restore 3f2a",
		ValidArgsFunction: complete{f}.deleted,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeTrash(cmd.Context(), f, args, true, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be restored and change nothing")
	return cmd
}
