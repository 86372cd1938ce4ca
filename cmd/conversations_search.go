package cmd

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

All words must be there, in any order: word, "a phrase", begin*, and -not for what
must not be there. Case and accents do not matter. Any text is a query.`,
		Example: `  hobnob conversations search goroutine leak
  hobnob conversations search '"connection reset"' -proxy --since 30d
  hobnob conversations search --role assistant 'déploie*'`,
		Annotations:       map[string]string{freeText: ""},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Query = strings.Join(args, " ")
			switch {
			case opts.Limit < 1:
				return failure.Usagef("see: hobnob conversations search --help", "--limit cannot be %d; want 1 or more", opts.Limit)
			case opts.Role != "" && opts.Role != "user" && opts.Role != "assistant":
				return failure.Usagef("see: hobnob conversations search --help", "--role cannot be %q; want user or assistant", opts.Role)
			}
			return runConversationsSearch(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Agent, "agent", "a", "", "only turns of this agent: the `name` of an alias, or a UUID")
	flags.StringVar(&opts.Since, "since", "", "only what is not older: an `age` like 12h, 30d or 8w, or a date like 2026-01-31")
	flags.StringVar(&opts.Role, "role", "", "search questions (user) or replies (assistant) alone")
	flags.IntVar(&opts.Limit, "limit", 20, "most `number` of places")
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
		if query.AgentID, err = profile.AgentID(opts.Agent); err != nil {
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
	hits, err := store.Search(ctx, query)
	if err != nil {
		return err
	}
	return view.Hits(f.Print, hits)
}

// searchArgs lets a query hold -word, which leaves a word out, without a -- before
// it: a query must never be an error. The flags of the command stay flags, and so
// does whatever begins with two dashes.
func searchArgs(root *cobra.Command, args []string) []string {
	command, _, err := root.Find(args)
	if err != nil || command.Name() != "search" || slices.Contains(args, "--") {
		return args
	}
	at := 0 // of the command's name: a profile may have the same
	for found := root; found != command && at < len(args); at++ {
		found, _, _ = root.Find(args[:at+1])
	}
	at--
	command.InitDefaultHelpFlag()
	lookup := func(arg string) *pflag.Flag {
		if name, long := strings.CutPrefix(arg, "--"); long {
			return command.Flag(name)
		}
		if len(arg) != 2 || arg[0] != '-' {
			return nil
		}
		return cmp.Or(command.Flags().ShorthandLookup(arg[1:]), command.InheritedFlags().ShorthandLookup(arg[1:]))
	}
	flags, words := slices.Clone(args[:at+1]), []string{"--"}
	for rest := args[at+1:]; len(rest) > 0; rest = rest[1:] {
		switch flag := lookup(rest[0]); {
		case flag != nil && flag.NoOptDefVal == "" && len(rest) > 1 && !strings.Contains(rest[0], "="): // its value follows
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
