package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
)

func newConversationsSwitchCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "switch [ID|TITLE] TURN",
		Short: "Change the head of a conversation",
		Long: `Make an answered turn the head of the latest conversation, or of the one that
you name. The next question follows it. Nothing is removed; hobnob conversations
tree shows all turns.`,
		Example:           "  hobnob conversations switch 8c1d\n  hobnob conversations switch 3f2a 8c1d",
		ValidArgsFunction: complete{f}.conversationThenTurn,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			ref, id := latestOr(args)
			return changeConversation(ctx, f, ref, func(store *history.Store, c history.Conversation) (string, error) {
				turn, err := store.FindTurn(ctx, c.ID, id)
				if err != nil {
					return "", err
				}
				if err := chat.Continuable(turn); err != nil {
					return "", err
				}
				next := history.Short(turn.ID) + ": " + history.TitleOf(turn.Question)
				return fmt.Sprintf("the next question in %s follows %s", history.Short(c.ID), next), store.Switch(ctx, turn)
			})
		},
	}
}
