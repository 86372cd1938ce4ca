package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newProfilesCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "profiles",
		Aliases: []string{"profile"},
		Short:   "List, select, rename and delete profiles",
		Long: `List, select, rename and delete profiles. A profile contains the address of a
service, its agents and its settings. To create one, use login -p NAME. The
profile "local" is the built-in service and always exists.`,
		Example: `  hobnob profiles list
  hobnob profiles use work
  hobnob login -p private --base-url https://agents.example.org`,
		GroupID: groupConnect,
	},
		newProfilesListCommand(f),
		newProfilesShowCommand(f),
		newProfilesUseCommand(f),
		newProfilesRenameCommand(f),
		newProfilesDeleteCommand(f),
	)
}

// countConversations returns the number of conversations of each profile.
func countConversations(ctx context.Context, f *cli.Factory) (map[string]int, error) {
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := store.Profiles(ctx)
	numbers := map[string]int{}
	for _, c := range counts {
		numbers[c.Profile] = c.Conversations
	}
	return numbers, err
}
