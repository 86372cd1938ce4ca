package cmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type conversationsSearchOptions struct {
	f *cli.Factory

	Query string
	Agent string
	Since string
	Role  string
	Limit int
}

func newConversationsSearchCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsSearchOptions{f: f}
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Search titles, questions and replies",
		Long: `Search the titles, questions and replies of every profile, or of one with -p or
HOBNOB_PROFILE, the newest first.

A match contains all words of the query, in any order. Use "a phrase" for
adjacent words, prefix* for words that begin with a prefix, and -word to exclude
a word. Case and accents are ignored. Any text is a valid query.`,
		Example: `  hobnob conversations search goroutine leak
  hobnob conversations search '"connection reset"' -proxy --since 30d
  hobnob conversations search --role assistant 'déploie*'`,
		Annotations:       map[string]string{freeText: ""},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Query = strings.Join(args, " ")
			switch {
			case opts.Limit < 1:
				return failure.Usagef("see: hobnob conversations search --help", "invalid value \"%d\" for --limit: must be at least 1", opts.Limit)
			case opts.Role != "" && opts.Role != "user" && opts.Role != "assistant":
				return failure.Usagef("see: hobnob conversations search --help", "invalid value %q for --role: must be user or assistant", opts.Role)
			}
			return runConversationsSearch(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Agent, "agent", "a", "", "only turns of this agent: an alias `name` or a UUID")
	flags.StringVar(&opts.Since, "since", "", "only turns newer than this `age` (12h, 30d, 8w) or date (2026-01-31)")
	flags.StringVar(&opts.Role, "role", "", "only this `role`: user (questions) or assistant (replies)")
	flags.IntVar(&opts.Limit, "limit", 20, "maximum `number` of matches")
	_ = cmd.RegisterFlagCompletionFunc("agent", complete{f}.agents)
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"user", "assistant"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runConversationsSearch(ctx context.Context, opts conversationsSearchOptions) error {
	f := opts.f
	query := history.Query{Text: opts.Query, Role: opts.Role, Limit: opts.Limit}
	var err error
	if query.Since, err = duration.ParseSince(opts.Since, time.Now()); err != nil {
		return err
	}
	if opts.Agent != "" {
		profile, err := f.Profile()
		if err != nil {
			return err
		}
		if query.AgentID, err = profile.AgentFilter(opts.Agent); err != nil {
			return err
		}
	}
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	if query.Profile, err = f.NamedProfile(ctx, store); err != nil {
		return err
	}
	hits, elsewhere, err := chat.Search(ctx, store, query)
	if err != nil {
		return err
	}
	selected, err := f.Profile()
	if err != nil { // a search works without a profile
		selected.Name = query.Profile
	}
	return view.Hits(f.Print, hits, selected.Name, elsewhere)
}

// searchArgs moves the words of a search query after a --, so that -word excludes a word
// and is not an unknown flag. Flags of the command and words that begin with two dashes
// remain flags.
func searchArgs(root *cobra.Command, args []string) []string {
	command, _, err := root.Find(args)
	if err != nil || command.Name() != "search" || slices.Contains(args, "--") {
		return args
	}
	at := 0 // index of the command's name; the value of -p before it may be the same
	for found := root; found != command && at < len(args); at++ {
		found, _, _ = root.Find(args[:at+1])
	}
	at--
	command.InitDefaultHelpFlag()
	flags, words := slices.Clone(args[:at+1]), []string{"--"}
	for rest := args[at+1:]; len(rest) > 0; rest = rest[1:] {
		switch flag := flagOf(command, rest[0]); {
		case flag != nil && flag.NoOptDefVal == "" && len(rest) > 1: // the next word is its value
			flags = append(flags, rest[0], rest[1])
			rest = rest[1:]
		case flag != nil && flag.NoOptDefVal != "", strings.HasPrefix(rest[0], "--"):
			flags = append(flags, rest[0])
		default:
			words = append(words, rest[0])
		}
	}
	if len(words) == 1 {
		return flags
	}
	return append(flags, words...)
}
