package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

type conversationsRestoreOptions struct {
	f *cli.Factory

	Refs   []string
	DryRun bool
}

func newConversationsRestoreCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsRestoreOptions{f: f}
	cmd := &cobra.Command{
		Use:               "restore ID|TITLE…",
		Short:             "Take conversations out of the trash",
		Example:           "  hobnob conversations list --deleted\n  hobnob conversations restore 3f2a",
		Args:              someArgs("ID"),
		ValidArgsFunction: complete{f}.deleted,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Refs = args
			return runConversationsRestore(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "say what would be restored and change nothing")
	return cmd
}

func runConversationsRestore(ctx context.Context, opts conversationsRestoreOptions) error {
	f := opts.f
	store, err := f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	found, err := cli.FindAll(ctx, store.FindDeleted, opts.Refs)
	if err != nil {
		return failure.WithHint(err, "see what is in the trash: %s", failure.Run("hobnob conversations list --deleted"))
	}
	word := "would restore"
	if !opts.DryRun {
		word = "restored"
		if err := store.Restore(ctx, ids(found)...); err != nil {
			return err
		}
	}
	for _, c := range found {
		f.Print.Note("%s %s %q", word, history.Short(c.ID), c.Title)
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"conversations": ids(found), "restored": !opts.DryRun})
	}
	return nil
}
