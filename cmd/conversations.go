package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/history"
)

func newConversationsCommand(f *Factory) *cobra.Command {
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
		newConversationsListCommand(f, nil),
		newConversationsShowCommand(f, nil),
		newConversationsTreeCommand(f, nil),
		newConversationsSearchCommand(f, nil),
		newConversationsSwitchCommand(f, nil),
		newConversationsRenameCommand(f, nil),
		newConversationsDeleteCommand(f, nil),
		newConversationsRestoreCommand(f, nil),
		newConversationsPruneCommand(f, nil),
		newConversationsExportCommand(f, nil),
		newConversationsImportCommand(f, nil),
	)
}

// existing opens the history for writing if there is one; without one nothing
// that was named can be found.
func (f *Factory) existing(ctx context.Context, ref string) (*history.Store, error) {
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, &hintError{err: &history.NotFoundError{Ref: first(ref, "latest")}, hint: "there is no history yet"}
	}
	return f.History(ctx)
}

// conversation finds what ref names: a local conversation, or the one that holds
// a conversation or completion id of the service. An empty ref is the latest of
// the profile.
func (f *Factory) conversation(ctx context.Context, store *history.Store, ref string) (history.Conversation, error) {
	if store == nil {
		return history.Conversation{}, &hintError{err: &history.NotFoundError{Ref: first(ref, "latest")}, hint: "there is no history yet"}
	}
	if ref == "" {
		profile, err := f.Profile()
		if err != nil {
			return history.Conversation{}, err
		}
		found, err := store.Latest(ctx, profile.Name)
		var missing *history.NotFoundError
		if errors.As(err, &missing) {
			err = &hintError{err: err, hint: fmt.Sprintf("the profile %q has no conversation yet", profile.Name)}
		}
		return found, err
	}
	found, err := store.Find(ctx, ref)
	var missing *history.NotFoundError
	if !errors.As(err, &missing) {
		return found, err
	}
	turn, terr := store.FindByService(ctx, ref)
	if terr != nil {
		return history.Conversation{}, err
	}
	return store.Find(ctx, turn.Conversation)
}

// findAll finds several conversations, or none.
func findAll(ctx context.Context, find func(context.Context, string) (history.Conversation, error), refs []string) ([]history.Conversation, error) {
	var out []history.Conversation
	for _, ref := range refs {
		c, err := find(ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func ids(conversations []history.Conversation) []string {
	out := make([]string, len(conversations))
	for i, c := range conversations {
		out[i] = c.ID
	}
	return out
}

// someArgs wants one argument at least.
func someArgs(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("usage: "+cmd.UseLine(), "%s is missing", name)
		}
		return nil
	}
}

// atMostOne wants one argument or none.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("usage: "+cmd.UseLine(), "%q is too much", args[1])
	}
	return nil
}
