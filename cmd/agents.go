package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newAgentsCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "agents",
		Aliases: []string{"agent"},
		Short:   "Manage the agents of a profile",
		Long: `Manage aliases for the agents of the selected profile. The service identifies
an agent by a UUID, which is part of the agent's address in the client
application. An alias is your own name for an agent.`,
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
