package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
)

type conversationsSwitchOptions struct {
	f *cli.Factory

	Ref  string
	Turn string
}

func newConversationsSwitchCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsSwitchOptions{f: f}
	return &cobra.Command{
		Use:   "switch ID|TITLE TURN",
		Short: "Make another turn the head of a conversation",
		Long: `Make another answered turn the head of a conversation: the next question follows
it. Nothing is removed; hobnob conversations tree shows all turns.`,
		Example:           "  hobnob conversations switch 3f2a 8c1d",
		Args:              exactArgs("ID", "TURN"),
		ValidArgsFunction: complete{f}.conversationThenTurn,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Ref, opts.Turn = args[0], args[1]
			return runConversationsSwitch(cmd.Context(), opts)
		},
	}
}

func runConversationsSwitch(ctx context.Context, opts conversationsSwitchOptions) error {
	store, err := opts.f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	c, err := opts.f.Conversation(ctx, store, opts.Ref)
	if err != nil {
		return err
	}
	turn, err := store.FindTurn(ctx, c.ID, opts.Turn)
	if err != nil {
		return err
	}
	if err := chat.Continuable(turn); err != nil {
		return err
	}
	if err := store.Switch(ctx, turn); err != nil {
		return err
	}
	return opts.f.Print.Done("the next question in %s follows %s: %s", history.Short(c.ID), history.Short(turn.ID), history.TitleOf(turn.Question))
}
