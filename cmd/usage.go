package cmd

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type usageOptions struct {
	f *cli.Factory

	By    string
	Since string
	CSV   bool
}

func newUsageCommand(f *cli.Factory) *cobra.Command {
	opts := usageOptions{f: f}
	groupings := []string{string(history.ByDay), string(history.ByAgent), string(history.ByModel), string(history.ByConversation)}
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show token usage",
		Long: `Show the tokens that the service reported for the answers of the profile, by
day, agent, model or conversation: as a table with bars, as JSON or as CSV. In
CSV, cells that a spreadsheet would interpret as a formula begin with an
apostrophe.`,
		Example: `  hobnob usage --since 30d
  hobnob usage --by model
  hobnob usage --by conversation --csv > tokens.csv`,
		GroupID: groupMore,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !slices.Contains(groupings, opts.By):
				return failure.Usagef("see: hobnob usage --help", "invalid value %q for --by: must be %s", opts.By, alternatives(groupings))
			case opts.CSV && f.Global.JSON:
				return failure.Usagef("see: hobnob usage --help", "--csv and --json cannot be used together")
			}
			return runUsage(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.By, "by", "day", "`group` by day, agent, model or conversation")
	cmd.Flags().StringVar(&opts.Since, "since", "", "only turns newer than this `age` (30d, 8w) or date (2026-01-31)")
	cmd.Flags().BoolVar(&opts.CSV, "csv", false, "print CSV")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(groupings, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runUsage(ctx context.Context, opts usageOptions) error {
	f := opts.f
	since, err := duration.ParseSince(opts.Since, time.Now())
	if err != nil {
		return err
	}
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	profile, _, err := cli.HistoryProfile(ctx, f, store)
	if err != nil {
		return err
	}
	by := history.Grouping(opts.By)
	spent, err := store.Tokens(ctx, profile.Name, by, since, time.Local)
	if err != nil {
		return err
	}
	if opts.CSV {
		return view.UsageCSV(f.Print, by, spent)
	}
	return view.Usage(f.Print, profile, by, spent)
}
