package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

type conversationsPruneOptions struct {
	f *cli.Factory

	OlderThan string
	Trash     bool
	Failed    bool
	Yes       bool
	DryRun    bool
}

func newConversationsPruneCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsPruneOptions{f: f}
	cmd := &cobra.Command{
		Use:   "prune --older-than AGE | --trash | --failed",
		Short: "Permanently remove old conversations",
		Long: `Permanently remove the conversations that were not used for the given time or,
with --trash, those in the trash. With both --trash and --older-than, only those
that have been in the trash for that time are removed. prune applies to every
profile, or to one with -p or HOBNOB_PROFILE. It asks for confirmation; without
a terminal it needs --yes.

--failed removes only conversations in which every question failed; list shows
them as "failed". Conversations with a question that is pending or has an unknown
outcome are not removed.

The conversations are erased from the history and the built-in service: both
files are rewritten, and other hobnob processes wait until that is done. Other
services cannot delete conversations. The input history of the interactive chat
keeps what was typed; hobnob status shows its state directory.`,
		Example: `  hobnob conversations prune --older-than 90d --dry-run
  hobnob conversations prune --trash --older-than 30d --yes
  hobnob conversations prune --failed`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.OlderThan == "" && !opts.Trash && !opts.Failed {
				return failure.Usagef("see: hobnob conversations prune --help", "nothing selected to remove: pass --older-than AGE, --trash or --failed")
			}
			return runConversationsPrune(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.OlderThan, "older-than", "", "only conversations older than this `age` (90d, 26w) or date (2026-01-31)")
	flags.BoolVar(&opts.Trash, "trash", false, "only conversations in the trash")
	flags.BoolVar(&opts.Failed, "failed", false, "only conversations in which every question failed")
	flags.BoolVarP(&opts.Yes, "yes", "y", false, "do not ask for confirmation")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "print what would be removed and change nothing")
	return cmd
}

func runConversationsPrune(ctx context.Context, opts conversationsPruneOptions) error {
	f := opts.f
	pruning := history.Pruning{Before: time.Now().Add(time.Second), TrashOnly: opts.Trash, FailedOnly: opts.Failed}
	if opts.OlderThan != "" {
		var err error
		if pruning.Before, err = duration.ParseSince(opts.OlderThan, time.Now()); err != nil {
			return err
		}
		if pruning.Before.After(time.Now()) {
			return failure.Usagef("see: hobnob conversations prune --help", "%s is in the future", opts.OlderThan)
		}
	}
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	if pruning.Profile, err = f.NamedProfile(ctx, store); err != nil {
		return err
	}
	found, err := store.Prunable(ctx, pruning)
	if err != nil {
		return err
	}
	if opts.Failed {
		unsettled, err := store.Unsettled(ctx, pruning)
		if err != nil {
			return err
		}
		if n := len(unsettled); n > 0 {
			f.Print.Note("not removed: %s with a question that the service may have accepted; to retry: %s", plural.Count(n, "conversation"), failure.Run("hobnob resend"))
		}
	}
	turns, short := 0, history.Shorts(ids(found)...)
	for _, c := range found {
		if turns += c.Turns; opts.DryRun {
			f.Print.Note("would remove %s %q, last used %s", short(c.ID), c.Title, c.Updated.Format(time.DateOnly))
		}
	}
	what := plural.Count(len(found), "conversation") + " with " + plural.Count(turns, "turn")
	if len(found) == 0 && !opts.DryRun && store.Saved() {
		// An earlier prune may have been killed before it erased the text.
		if writable, err := f.History(ctx); err == nil && writable.Writable() == nil {
			if _, err := cli.Prune(ctx, f, pruning, nil); err != nil {
				return err
			}
		}
	}
	if len(found) == 0 {
		return opts.report(found, 0, "no conversations to remove")
	}
	if opts.DryRun {
		return opts.report(found, 0, what+" would be removed")
	}
	if !opts.Yes {
		yes, err := f.Print.Confirm(ctx, "Remove "+what+" for good?",
			failure.Usagef("to see them first, pass --dry-run", "removing %s needs confirmation: pass --yes", what))
		if err != nil {
			return err
		}
		if !yes {
			return f.Print.Done("nothing was removed")
		}
	}
	removed, err := cli.Prune(ctx, f, pruning, ids(found))
	if removed > 0 && errors.Is(err, sqlite.ErrFull) {
		f.Print.Warn("the disk is too full to overwrite the removed conversations; the next prune overwrites them if there is free space")
		err = nil
	}
	if err != nil {
		return err
	}
	if used := len(found) - removed; used > 0 {
		f.Print.Warn("%s used in the meantime and not removed", cli.Were(used, "conversation"))
		what = plural.Count(removed, "conversation")
	}
	return opts.report(found, removed, "removed "+what)
}

// report prints the result: an object with --json, otherwise a note.
func (o conversationsPruneOptions) report(found []history.Conversation, removed int, text string) error {
	if o.f.Global.JSON {
		return o.f.Print.JSON(map[string]any{"conversations": ids(found), "removed": removed})
	}
	return o.f.Print.Done("%s", text)
}
