package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

type conversationsPruneOptions struct {
	f *cli.Factory

	OlderThan string
	Trash     bool
	Yes       bool
	DryRun    bool
}

func newConversationsPruneCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsPruneOptions{f: f}
	cmd := &cobra.Command{
		Use:   "prune --older-than AGE | --trash",
		Short: "Remove old conversations for good",
		Long: `Remove conversations for good: those that were not used for the given time, or with
--trash those that are in the trash (for that long, when --older-than is given too);
of every profile, or of one with -p or HOBNOB_PROFILE. It asks first; without a
terminal it wants --yes.`,
		Example: `  hobnob conversations prune --older-than 90d --dry-run
  hobnob conversations prune --trash --older-than 30d --yes`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.OlderThan == "" && !opts.Trash {
				return failure.Usagef("see: hobnob conversations prune --help", "say what to remove: --older-than AGE, or --trash")
			}
			return runConversationsPrune(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.OlderThan, "older-than", "", "`age` like 90d or 26w, or a date like 2026-01-31")
	flags.BoolVar(&opts.Trash, "trash", false, "only what is in the trash")
	flags.BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "say what would be removed and change nothing")
	return cmd
}

func runConversationsPrune(ctx context.Context, opts conversationsPruneOptions) error {
	f := opts.f
	pruning := history.Pruning{Before: time.Now().Add(time.Second), TrashOnly: opts.Trash}
	if opts.OlderThan != "" {
		var err error
		if pruning.Before, err = duration.ParseSince(opts.OlderThan, time.Now()); err != nil {
			return err
		}
		if pruning.Before.After(time.Now()) {
			return failure.Usagef("see: hobnob conversations prune --help", "%s is in the future", opts.OlderThan)
		}
	}
	store, err := f.ExistingHistory(ctx)
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
	turns := 0
	for _, c := range found {
		if turns += c.Turns; opts.DryRun {
			f.Print.Note("would remove %s %q, last used %s", history.Short(c.ID), c.Title, c.Updated.Format(time.DateOnly))
		}
	}
	what := cli.Counted(len(found), "conversation") + " with " + cli.Counted(turns, "turn")
	if len(found) == 0 || opts.DryRun {
		return opts.report(found, 0, what+" would be removed")
	}
	if !opts.Yes {
		yes, err := f.Print.Confirm(ctx, "Remove "+what+" for good?",
			failure.Usagef("look first with --dry-run, then add --yes", "there is nobody to ask whether %s may be removed", what))
		if err != nil {
			return err
		}
		if !yes {
			return f.Print.Done("nothing was removed")
		}
	}
	removed, err := store.Prune(ctx, pruning, ids(found)...)
	if err != nil {
		return err
	}
	if used := len(found) - removed; used > 0 {
		f.Print.Warn("%s used meanwhile and kept", cli.Were(used, "conversation"))
		what = cli.Counted(removed, "conversation")
	}
	return opts.report(found, removed, "removed "+what)
}

// report is one document with --json, and a note without.
func (o conversationsPruneOptions) report(found []history.Conversation, removed int, text string) error {
	if o.f.Global.JSON {
		return o.f.Print.JSON(map[string]any{"conversations": ids(found), "removed": removed})
	}
	return o.f.Print.Done("%s", text)
}
