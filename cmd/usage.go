package cmd

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
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
		Short: "Sum the tokens that answers cost",
		Long: `Sum the tokens that the service counted for the answers of the profile: by day,
agent, model or conversation, as a table with bars, as JSON or as CSV. In the CSV a
cell that a spreadsheet would run begins with an apostrophe.`,
		Example: `  hobnob usage --since 30d
  hobnob usage --by model
  hobnob usage --by conversation --csv > tokens.csv`,
		GroupID: groupMore,
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !slices.Contains(groupings, opts.By):
				return failure.Usagef("see: hobnob usage --help", "--by cannot be %q; want %s", opts.By, strings.Join(groupings, ", "))
			case opts.CSV && f.Global.JSON:
				return failure.Usagef("see: hobnob usage --help", "--csv and --json exclude each other")
			}
			return runUsage(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.By, "by", "day", "`group` by day, agent, model or conversation")
	cmd.Flags().StringVar(&opts.Since, "since", "", "only what is not older: an `age` like 30d or 8w, or a date like 2026-01-31")
	cmd.Flags().BoolVar(&opts.CSV, "csv", false, "print CSV")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(groupings, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("since", cobra.NoFileCompletions)
	return cmd
}

// usageRow is one group in the output.
type usageRow struct {
	Key   string `json:"key"`
	Title string `json:"title,omitempty"`
	Turns int    `json:"turns"`
	usageJSON
}

func runUsage(ctx context.Context, opts usageOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	var since time.Time
	if opts.Since != "" {
		if since, err = duration.ParseSince(opts.Since, time.Now()); err != nil {
			return err
		}
	}
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	spent, err := store.Tokens(ctx, profile.Name, history.Grouping(opts.By), since, time.Local)
	if err != nil {
		return err
	}
	rows := []usageRow{}
	for _, s := range spent {
		rows = append(rows, usageRow{s.Key, s.Title, s.Turns, usageJSON{s.PromptTokens, s.CompletionTokens, s.TotalTokens}})
	}
	switch {
	case f.Global.JSON:
		return f.Print.JSON(rows)
	case opts.CSV:
		return printUsageCSV(f, opts.By, rows)
	case len(rows) == 0:
		f.Print.Note("no tokens were counted yet")
		return nil
	}
	return printUsage(f, profile, opts.By, rows)
}

func printUsage(f *cli.Factory, profile config.Profile, by string, rows []usageRow) error {
	most, total := int64(0), int64(0)
	for _, r := range rows {
		most, total = max(most, r.TotalTokens), total+r.TotalTokens
	}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		name := r.Key
		switch history.Grouping(by) {
		case history.ByAgent:
			name = cmp.Or(profile.AgentName(r.Key), "(chosen by the service)")
		case history.ByModel:
			name = cmp.Or(r.Key, "(not said)")
		case history.ByConversation:
			name = history.Short(r.Key) + " " + r.Title
		}
		cells[i] = []string{name, strconv.Itoa(r.Turns), fmt.Sprint(r.PromptTokens), fmt.Sprint(r.CompletionTokens), fmt.Sprint(r.TotalTokens)}
		if f.IO.OutTTY && !f.IO.Accessible {
			cells[i] = append(cells[i], bar(r.TotalTokens, most, f.IO.UTF8))
		}
	}
	columns := []terminal.Column{
		{Title: strings.ToUpper(by), Flexible: true}, {Title: "TURNS", Right: true}, {Title: "PROMPT", Right: true},
		{Title: "COMPLETION", Right: true}, {Title: "TOTAL", Right: true},
	}
	if f.IO.OutTTY && !f.IO.Accessible {
		columns = append(columns, terminal.Column{})
	}
	if err := cli.OutputError(f.IO.Table(columns, cells)); err != nil {
		return err
	}
	f.Print.Note("%d tokens in all", total)
	return nil
}

// barWidth is the longest bar, in columns.
const barWidth = 20

// bar draws a share of the most; whatever is not nothing is seen.
func bar(n, most int64, unicode bool) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	if !unicode {
		return strings.Repeat("#", max(1, int(n*barWidth/most)))
	}
	eighths := max(1, int(n*barWidth*8/most))
	return strings.Repeat("█", eighths/8) + string([]rune(" ▏▎▍▌▋▊▉")[eighths%8])
}

func printUsageCSV(f *cli.Factory, by string, rows []usageRow) error {
	w := csv.NewWriter(f.IO.Out)
	records := [][]string{{by, "title", "turns", "prompt_tokens", "completion_tokens", "total_tokens"}}
	for _, r := range rows {
		records = append(records, []string{inert(r.Key), inert(r.Title), strconv.Itoa(r.Turns), fmt.Sprint(r.PromptTokens), fmt.Sprint(r.CompletionTokens), fmt.Sprint(r.TotalTokens)})
	}
	return cli.OutputError(w.WriteAll(records))
}

// inert keeps a spreadsheet from taking text for a formula
// (https://owasp.org/www-community/attacks/CSV_Injection).
func inert(text string) string {
	text = terminal.CleanLine(text)
	if text != "" && strings.ContainsRune("=+-@|%＝＋－＠'", []rune(text)[0]) {
		return "'" + text
	}
	return text
}
