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
		Use:   "switch ID|TITLE TURN",
		Short: "Make another turn the head of a conversation",
		Long: `Make another answered turn the head of a conversation: the next question follows
it. Nothing is removed; hobnob conversations tree shows all turns.`,
		Example:           "  hobnob conversations switch 3f2a 8c1d",
		ValidArgsFunction: complete{f}.conversationThenTurn,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return changeConversation(ctx, f, args[0], func(store *history.Store, c history.Conversation) (string, error) {
				turn, err := store.FindTurn(ctx, c.ID, args[1])
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
