package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/config"
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

// existing opens the history for writing if there is one; without one nothing
// that was named can be found.
func (f *Factory) existing(ctx context.Context, ref string) (*history.Store, error) {
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, &hintError{err: &history.NotFoundError{Ref: ref}, hint: "there is no history yet"}
	}
	return f.History(ctx)
}

// conversation finds what ref names: a local conversation, or the one that holds
// a conversation or completion id of the service. An empty ref is the latest of
// the profile.
func (f *Factory) conversation(ctx context.Context, store *history.Store, ref string) (history.Conversation, error) {
	if store == nil {
		return history.Conversation{}, &hintError{err: &history.NotFoundError{Ref: ref}, hint: "there is no history yet"}
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
	if turn, terr := store.FindByService(ctx, ref); terr == nil {
		found, err = store.Find(ctx, turn.Conversation)
	}
	return found, inTrash(ctx, store, err)
}

// inTrash says of what Find did not find that it is in the trash, if it is.
func inTrash(ctx context.Context, store *history.Store, err error) error {
	var missing *history.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	deleted, derr := store.FindDeleted(ctx, missing.Ref)
	var several *history.AmbiguousError
	switch {
	case derr == nil:
		return &hintError{err: fmt.Errorf("%w: it is in the trash", err), hint: "take it out with: hobnob conversations restore " + history.Short(deleted.ID)}
	case errors.As(derr, &several):
		return &hintError{err: fmt.Errorf("%w: several in the trash have that name", err), hint: "see them with: hobnob conversations list --deleted" + ofProfile}
	}
	return err
}

// namedProfile is the profile that -p or HOBNOB_PROFILE names, for commands that
// are otherwise about every profile: then it is empty. One that is not set up here
// is an *UnknownProfileError, unless an import brought conversations of it.
func (f *Factory) namedProfile(ctx context.Context, store *history.Store) (string, error) {
	given := first(f.Global.Profile, f.Env("HOBNOB_PROFILE"))
	if given == "" {
		return "", nil
	}
	c, err := f.Config()
	if err != nil {
		return "", err
	}
	name, _, err := c.Active()
	if store == nil || !errors.As(err, new(*config.UnknownProfileError)) {
		return name, err
	}
	if all, err := store.All(ctx, given, true); err != nil || len(all) > 0 {
		return given, err
	}
	return "", err
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
		if slices.Contains(args, "") {
			return emptyArg(cmd, name)
		}
		return nil
	}
}

// atMostOne wants one argument or none.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("usage: "+cmd.UseLine(), "%q is too much", args[1])
	}
	if len(args) == 1 && args[0] == "" {
		return emptyArg(cmd, strings.Trim(strings.TrimPrefix(cmd.Use, cmd.Name()), " []"))
	}
	return nil
}
