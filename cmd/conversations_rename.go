package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

func newConversationsRenameCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "rename [ID|TITLE] TITLE",
		Short: "Rename a conversation",
		Long: `Rename the latest conversation, or the one that you name. The default title is
the beginning of the first question.`,
		Example: `  hobnob conversations rename "release notes"
  hobnob conversations rename 3f2a "release notes"`,
		ValidArgsFunction: complete{f}.first(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, title := latestOr(args)
			title = strings.TrimSpace(title)
			if title == "" {
				return failure.Usagef("usage: "+cmd.UseLine(), "the title is empty")
			}
			ctx := cmd.Context()
			return changeConversation(ctx, f, ref, func(store *history.Store, c history.Conversation) (string, error) {
				if ref == "" && isID(ctx, store, title) {
					return "", failure.Usagef("usage: "+cmd.UseLine(), "missing title: %q is the id of a conversation", title)
				}
				cli.NoteSameTitle(ctx, f, store, title, c.ID)
				return fmt.Sprintf("renamed %s to %q", history.Short(c.ID), title), store.Rename(ctx, c.ID, title)
			})
		},
	}
}

// latestOr splits the arguments of a command [ID|TITLE] WHAT. If only WHAT is given, ref
// is empty, which means the latest conversation.
func latestOr(args []string) (ref, what string) {
	if len(args) == 1 {
		return "", args[0]
	}
	return args[0], args[1]
}

// isID reports whether ref is the id of a conversation and not only a title.
func isID(ctx context.Context, store *history.Store, ref string) bool {
	found, err := store.Find(ctx, ref)
	matches := []history.Conversation{found}
	if ambiguous, ok := errors.AsType[*history.AmbiguousError](err); ok {
		matches, err = ambiguous.Matches, nil
	}
	return err == nil && slices.ContainsFunc(matches, func(c history.Conversation) bool { return !strings.EqualFold(c.Title, ref) })
}
