package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func newConversationsTreeCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "tree [ID|TITLE]",
		Short: "Show a conversation as a tree",
		Long: `Show the turns of the latest conversation, or of the one that you name, as a
tree. Questions that follow the same turn are branches. Each line begins with
the id of its turn, and the head is marked.`,
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
	conversation, err := cli.FindConversation(ctx, f, store, ref)
	if err != nil {
		return err
	}
	tree := history.Tree{Conversation: conversation}
	if tree.Instructions, err = store.Instructions(ctx, conversation.ID); err != nil {
		return err
	}
	if tree.Turns, err = store.Turns(ctx, conversation.ID); err != nil {
		return err
	}
	return view.Tree(f.Print, tree)
}
