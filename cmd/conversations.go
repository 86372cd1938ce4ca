package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

func newConversationsCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "conversations",
		Aliases: []string{"conversation", "conv"},
		Short:   "Look at conversations, find, branch and keep them",
		Long: `Look at the conversations that the service lists and that this machine
remembers. The service opens a new one for every question; hobnob knows which of
them belong together.

A conversation is a tree of turns: asking from an earlier turn makes a branch, and
nothing is overwritten. Its head is the turn that the next question follows.`,
		Example: `  hobnob conversations list --limit 20
  hobnob conversations show
  hobnob conversations search "goroutine leak" --since 30d`,
		GroupID: groupAsk,
	},
		newConversationsListCommand(f),
		newConversationsShowCommand(f),
		newConversationsTreeCommand(f),
		newConversationsSearchCommand(f),
		newConversationsSwitchCommand(f),
		newConversationsRenameCommand(f),
		newConversationsDeleteCommand(f),
		newConversationsRestoreCommand(f),
		newConversationsPruneCommand(f),
		newConversationsExportCommand(f),
		newConversationsImportCommand(f),
	)
}

func ids(conversations []history.Conversation) []string {
	out := make([]string, len(conversations))
	for i, c := range conversations {
		out[i] = c.ID
	}
	return out
}

// alternatives lists names in a sentence.
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// someArgs wants one argument at least.
func someArgs(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return failure.Usagef("usage: "+cmd.UseLine(), "%s is missing", name)
		}
		if slices.Contains(args, "") {
			return emptyArg(cmd, name)
		}
		return nil
	}
}

// atMostOne wants one argument or none.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return failure.Usagef("usage: "+cmd.UseLine(), "%q is too much", args[1])
	}
	if len(args) == 1 && args[0] == "" {
		return emptyArg(cmd, strings.Trim(strings.TrimPrefix(cmd.Use, cmd.Name()), " []"))
	}
	return nil
}
