package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
)

type conversationsDeleteOptions struct {
	f *cli.Factory

	Refs   []string
	DryRun bool
}

func newConversationsDeleteCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsDeleteOptions{f: f}
	cmd := &cobra.Command{
		Use: "delete ID|TITLE…", Aliases: []string{"rm"},
		Short: "Put conversations into the trash",
		Long: `Put conversations into the trash: they are neither listed nor searched nor
continued. hobnob conversations restore gives them back, and prune --trash removes
them for good. The service is told nothing: it has no way to delete.`,
		Example:           "  hobnob conversations delete 3f2a 9b0c\n  hobnob conversations list --deleted",
		Args:              someArgs("ID"),
		ValidArgsFunction: complete{f}.conversations,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Refs = args
			return runConversationsDelete(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "say what would be deleted and change nothing")
	return cmd
}

func runConversationsDelete(ctx context.Context, opts conversationsDeleteOptions) error {
	f := opts.f
	store, err := f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	found, err := cli.FindAll(ctx, store.Find, opts.Refs)
	if err != nil {
		return err
	}
	if !opts.DryRun {
		if err := store.Delete(ctx, ids(found)...); err != nil {
			return err
		}
	}
	for _, c := range found {
		if opts.DryRun {
			f.Print.Note("would delete %s %q", history.Short(c.ID), c.Title)
			continue
		}
		f.Print.Note("deleted %s %q; undo with: hobnob conversations restore %s", history.Short(c.ID), c.Title, history.Short(c.ID))
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"conversations": ids(found), "deleted": !opts.DryRun})
	}
	return nil
}
