package cmd

import "github.com/spf13/cobra"

func newConversationsCommand(f *Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "conversations",
		Aliases: []string{"conversation", "conv"},
		Short:   "Look at conversations",
		Long: `Look at the conversations that the service lists and that this machine
remembers. The service opens a new one for every question; hobnob knows which of
them belong together.`,
		Example: "  hobnob conversations list --limit 20",
		GroupID: groupAsk,
	},
		newConversationsListCommand(f, nil),
	)
}
