package cmd

import (
	"context"
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
		Short:   "List, search, branch and export conversations",
		Long: `Manage conversations in the local history, and list those of the service. The
service starts a new conversation for every question; hobnob keeps track of
which of them belong together.

A conversation is a tree of turns. Asking from an earlier turn creates a branch
and overwrites nothing. The head is the turn that the next question follows.

If you do not name a conversation, commands use the latest one: the most recently
used conversation of the profile that has an answer. With --pick, they show a list
to choose from; type words of the title or the text to search it.`,
		Example: `  hobnob conversations list --limit 20
  hobnob conversations show
  hobnob conversations show --pick
  hobnob conversations search "goroutine leak" --since 30d`,
		GroupID: groupAsk,
	},
		newConversationsListCommand(f),
		pickable(f, newConversationsShowCommand(f), false),
		pickable(f, newConversationsTreeCommand(f), false),
		newConversationsSearchCommand(f),
		newConversationsSwitchCommand(f),
		pickable(f, newConversationsRenameCommand(f), false),
		pickable(f, newConversationsDeleteCommand(f), false),
		pickable(f, newConversationsRestoreCommand(f), true),
		newConversationsPruneCommand(f),
		pickable(f, newConversationsExportCommand(f), false, "all"),
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

// alternatives joins names with commas and "or".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// changeConversation finds the conversation that ref names, or the latest if ref is
// empty, calls edit to change it, and prints the text that edit returns.
func changeConversation(ctx context.Context, f *cli.Factory, ref string, edit func(*history.Store, history.Conversation) (done string, err error)) error {
	store, err := f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	c, err := cli.FindConversation(ctx, f, store, ref)
	if err != nil {
		return err
	}
	done, err := edit(store, c)
	if err != nil {
		return err
	}
	return f.Print.Done("%s", done)
}

// changeTrash moves conversations to the trash or, with restore, out of it, and prints
// each. It changes either all of them or none.
func changeTrash(ctx context.Context, f *cli.Factory, refs []string, restore, dryRun bool) error {
	store, err := f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	found, err := store.FindAll(ctx, refs, restore)
	if err != nil && restore && store.Saved() {
		return failure.WithHint(err, "to list the trash: %s", failure.Run("hobnob conversations list --deleted"))
	}
	if err != nil {
		return cli.ExplainMissing(ctx, f, store, err, "hobnob cannot delete it there")
	}
	word, done, undo := "would delete", "deleted", "; to undo: hobnob conversations restore "
	if restore {
		word, done, undo = "would restore", "restored", ""
	}
	if !dryRun {
		if word, err = done, cli.Trash(ctx, f, store, restore, ids(found)); err != nil {
			return err
		}
	}
	short := history.Shorts(ids(found)...)
	for _, c := range found {
		after := ""
		if undo != "" && !dryRun {
			after = undo + short(c.ID)
		}
		f.Print.Note("%s %s %q%s", word, short(c.ID), c.Title, after)
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"conversations": ids(found), done: !dryRun})
	}
	return nil
}
