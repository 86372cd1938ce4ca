package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newAgentsCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "agents",
		Aliases: []string{"agent"},
		Short:   "Name the agents of a profile",
		Long: `Name the agents of the selected profile. The service knows an agent by a UUID
(it is in the agent's address in the client application); an alias is yours.`,
		Example: `  hobnob agents add reviewer 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f
  hobnob agents use reviewer
  hobnob chat -a reviewer -f main.go "what would you change?"`,
		GroupID: groupConnect,
	},
		newAgentsListCommand(f),
		newAgentsAddCommand(f),
		newAgentsRemoveCommand(f),
		newAgentsUseCommand(f),
	)
}
