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
}

func newConversationsListCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsListOptions{f: f}
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List conversations, the latest first",
		Long: `List conversations, the latest first: those that the service lists, joined
with those that this machine remembers, one row for each.

WHERE tells whether a conversation is known here ("local"), only to the service
("service"), or to both. With --local nothing is asked of the service.`,
		Example: `  hobnob conversations list
  hobnob conversations list --limit 50 --local
  hobnob conversations list --json | jq -r '.[].title'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Limit < 1 {
				return failure.Usagef("see: hobnob conversations list --help", "--limit cannot be %d; want 1 or more", opts.Limit)
			}
			return runConversationsList(cmd.Context(), opts)
		},
	}
	cmd.Flags().IntVar(&opts.Limit, "limit", 10, "most `number` of conversations")
	cmd.Flags().BoolVar(&opts.Local, "local", false, "ask nothing of the service")
	cmd.Flags().BoolVar(&opts.Deleted, "deleted", false, "list what is in the trash instead; asks nothing of the service")
	cmd.Flags().StringVarP(&opts.Agent, "agent", "a", "", "only those with this agent: the `name` of an alias, or a UUID")
	_ = cmd.RegisterFlagCompletionFunc("agent", complete{f}.agents)
	return cmd
}

func runConversationsList(ctx context.Context, opts conversationsListOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	agentID, err := profile.AgentID(opts.Agent)
	if err != nil {
		return err
	}
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	var records []api.Conversation
	complete := false
	if !opts.Local && !opts.Deleted {
		if records, err = listFromService(ctx, f, profile, opts.Limit); err != nil {
			return err
		}
		complete = len(records) < opts.Limit
	}
	filter := history.Filter{Profile: profile.Name, AgentID: agentID, Deleted: opts.Deleted, Limit: opts.Limit}
	listed, err := chat.List(ctx, store, filter, records, complete)
	if err != nil {
		return err
	}
	return view.Conversations(f.Print, profile, listed)
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
			why.Hint = failure.Plain("ask again")
		}
		if why.Kind != failure.Usage && why.Kind != failure.Config {
			return nil, failure.WithHint(err, "%s; what this machine remembers: %s", why.Hint, failure.Run("hobnob conversations list --local"))
		}
	}
	return records, err
}
