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

// changeConversation finds the conversation that ref names, lets edit change it, and
// prints what edit says was done.
func changeConversation(ctx context.Context, f *cli.Factory, ref string, edit func(*history.Store, history.Conversation) (done string, err error)) error {
	store, err := f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	c, err := f.Conversation(ctx, store, ref)
	if err != nil {
		return err
	}
	done, err := edit(store, c)
	if err != nil {
		return err
	}
	return f.Print.Done("%s", done)
}

// changeTrash puts conversations into the trash, or with restore takes them out, all
// of them or none, and prints each.
func changeTrash(ctx context.Context, f *cli.Factory, refs []string, restore, dryRun bool) error {
	store, err := f.ExistingHistory(ctx)
	if err != nil {
		return err
	}
	found, err := store.FindAll(ctx, refs, restore)
	if err != nil && restore && store.Saved() {
		return failure.WithHint(err, "see what is in the trash: %s", failure.Run("hobnob conversations list --deleted"))
	}
	if err != nil {
		return err
	}
	word, done, undo, change := "would delete", "deleted", "; undo with: hobnob conversations restore ", store.Delete
	if restore {
		word, done, undo, change = "would restore", "restored", "", store.Restore
	}
	if !dryRun {
		if word, err = done, change(ctx, ids(found)...); err != nil {
			return err
		}
	}
	for _, c := range found {
		short, after := history.Short(c.ID), ""
		if undo != "" && !dryRun {
			after = undo + short
		}
		f.Print.Note("%s %s %q%s", word, short, c.Title, after)
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"conversations": ids(found), done: !dryRun})
	}
	return nil
}
