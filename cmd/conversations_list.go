package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type conversationsListOptions struct {
	f *cli.Factory

	Limit   int
	Local   bool
	Deleted bool
	Agent   string
	Across  bool // all profiles
}

func newConversationsListCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsListOptions{f: f}
	cmd := &cobra.Command{
		Use:         "list",
		Annotations: map[string]string{exitCodes: requestExits},
		Aliases:     []string{"ls"},
		Short:       "List conversations",
		Long: `List the conversations of the profile: those in the local history, most recently
used first, and then those that only the service lists. --limit applies to each
of the two parts.

WHERE shows where a conversation is: "local", "service" or "both". STATE shows
the state of a conversation without an answer: "failed", "unknown" or "pending".
--local does not contact the service.

--all-profiles lists the local conversations of every profile.`,
		Example: `  hobnob conversations list
  hobnob conversations list --limit 50 --local
  hobnob conversations list --json | jq -r '.[].title'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Limit < 1 {
				return failure.Usagef("see: hobnob conversations list --help", "invalid value \"%d\" for --limit: must be at least 1", opts.Limit)
			}
			if opts.Across && f.Global.Profile != "" {
				return failure.Usagef("see: hobnob conversations list --help", "--all-profiles and --profile cannot be used together")
			}
			return runConversationsList(cmd.Context(), opts)
		},
	}
	cmd.Flags().IntVar(&opts.Limit, "limit", 10, "maximum `number` of local conversations, and of those only on the service")
	cmd.Flags().BoolVar(&opts.Local, "local", false, "do not contact the service")
	cmd.Flags().BoolVar(&opts.Deleted, "deleted", false, "list the trash, without contacting the service")
	cmd.Flags().BoolVar(&opts.Across, "all-profiles", false, "list the local conversations of every profile")
	cmd.Flags().StringVarP(&opts.Agent, "agent", "a", "", "only conversations with this agent: an alias `name` or a UUID")
	_ = cmd.RegisterFlagCompletionFunc("agent", complete{f}.agents)
	return cmd
}

func runConversationsList(ctx context.Context, opts conversationsListOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	profile, setUp, err := cli.HistoryProfile(ctx, f, store)
	if err != nil {
		return err
	}
	agentID, err := profile.AgentFilter(opts.Agent)
	if err != nil {
		return err
	}
	var records []api.Conversation
	if setUp && !opts.Local && !opts.Deleted && !opts.Across {
		if records, err = listFromService(ctx, f, profile, opts.Limit); err != nil {
			return err
		}
	}
	filter := history.Filter{Profile: profile.Name, AgentID: agentID, Deleted: opts.Deleted, Limit: opts.Limit}
	if opts.Across {
		filter.Profile = ""
	}
	listed, err := chat.List(ctx, store, filter, records)
	if err != nil {
		return err
	}
	profileOf := func(name string) config.Profile {
		profile, _ := f.ProfileOf(name) // without aliases if it no longer exists
		return profile
	}
	if err := view.Conversations(f.Print, profileOf, listed, opts.Across); err != nil {
		return err
	}
	return opts.noteScope(ctx, store, filter, len(listed))
}

// noteScope prints a note if the list is empty, or if it shows only one profile and
// others have conversations too.
func (o conversationsListOptions) noteScope(ctx context.Context, store *history.Store, filter history.Filter, rows int) error {
	if rows == 0 && filter.AgentID != "" {
		o.f.Print.Note("no conversations with this agent")
		return nil
	}
	counts, err := store.RoughProfiles(ctx, filter.Deleted)
	switch elsewhere := history.Elsewhere(counts, filter.Profile); {
	case err != nil:
		return err
	case rows == 0 && filter.Deleted && elsewhere == "":
		o.f.Print.Note("the trash is empty")
	case rows == 0:
		o.f.Print.Note("%s", view.NoConversations(filter.Profile, counts))
	case elsewhere != "" && !o.Across:
		o.f.Print.Note("showing only profile %s; %s; to list all: --all-profiles", filter.Profile, elsewhere)
	}
	return nil
}

func listFromService(ctx context.Context, f *cli.Factory, profile config.Profile, limit int) ([]api.Conversation, error) {
	client, err := f.Client(ctx, profile, false)
	if err != nil {
		return nil, err
	}
	stop := f.Print.Wait("listing conversations")
	defer stop()
	records, err := client.Conversations(ctx, limit)
	if err != nil {
		why := failure.Of(err)
		if why.Hint.IsZero() {
			why.Hint = failure.Plain("retry")
		}
		if why.Kind != failure.Usage && why.Kind != failure.Config {
			return nil, failure.WithHint(err, "%s; to list the local history: %s", why.Hint, failure.Run("hobnob conversations list --local"))
		}
	}
	return records, err
}
