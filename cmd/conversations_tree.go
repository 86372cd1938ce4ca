package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func newConversationsTreeCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "tree [ID|TITLE]",
		Short: "Draw the branches of a conversation",
		Long: `Draw the turns of a conversation as a tree, the latest conversation or the one
that is named. A line goes straight on where one question follows another, and
branches where several follow the same turn. Each line begins with the id of its
turn. The head is marked.`,
		Example:           "  hobnob conversations tree\n  hobnob conversations switch 3f2a 8c1d",
		ValidArgsFunction: complete{f}.first(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConversationsTree(cmd.Context(), f, firstArgument(cmd, args))
		},
	}
}

func runConversationsTree(ctx context.Context, f *cli.Factory, ref string) error {
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	conversation, err := f.Conversation(ctx, store, ref)
	if err != nil {
		return err
	}
	turns, err := store.Turns(ctx, conversation.ID)
	if err != nil {
		return err
	}
	return view.Tree(f.Print, conversation, turns)
}
