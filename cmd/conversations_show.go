package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type conversationsShowOptions struct {
	f *cli.Factory

	Ref  string
	Turn string
	All  bool
}

func newConversationsShowCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsShowOptions{f: f}
	cmd := &cobra.Command{
		Use:   "show [ID|TITLE]",
		Short: "Show a conversation",
		Long: `Show a conversation from its first question to its head: the latest one, or the
one that you name by its title, its id, or its id on the service. The first
characters of an id are enough. --verbose adds times, agents, tokens and the
service's ids.`,
		Example: `  hobnob conversations show
  hobnob conversations show 3f2a --all
  hobnob conversations show --turn 8c1d --verbose`,
		ValidArgsFunction: complete{f}.first(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Ref = firstArgument(cmd, args)
			if opts.All && opts.Turn != "" {
				return failure.Usagef("see: hobnob conversations show --help", "--all and --turn cannot be used together")
			}
			if cmd.Flags().Changed("turn") && opts.Turn == "" {
				return failure.WithHint(failure.Usagef("", "--turn is empty"), "to list the turns: %s", failure.Run("hobnob conversations tree"))
			}
			return runConversationsShow(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Turn, "turn", "", "show only this turn: an `id` or its first characters")
	cmd.Flags().BoolVar(&opts.All, "all", false, "show every turn, of all branches, answered or not")
	_ = cmd.RegisterFlagCompletionFunc("turn", complete{f}.turns(firstArgument, false))
	return cmd
}

func runConversationsShow(ctx context.Context, opts conversationsShowOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	shown, err := opts.find(ctx, store)
	if err != nil {
		return err
	}
	if shown.Instructions, err = store.Instructions(ctx, shown.Conversation.ID); err != nil {
		return err
	}
	profile, err := f.ProfileOf(shown.Conversation.Profile)
	if err != nil && !f.Global.JSON { // JSON needs no profile
		return err
	}
	return view.Conversation(f.Print, shown, profile)
}

// find returns the turns to show and their conversation, without its instructions.
func (o conversationsShowOptions) find(ctx context.Context, store *history.Store) (shown history.Tree, err error) {
	c := &shown.Conversation
	if o.Ref != "" || o.Turn == "" {
		if *c, err = cli.FindConversation(ctx, o.f, store, o.Ref); err != nil {
			return shown, err
		}
	}
	switch {
	case o.Turn != "":
		turn, err := store.ResolveTurn(ctx, c.ID, o.Turn)
		if err != nil {
			return shown, err
		}
		shown.Turns = []history.Turn{turn}
		*c, err = store.Find(ctx, turn.Conversation)
		return shown, err
	case o.All:
		shown.Turns, err = store.Turns(ctx, c.ID)
	default:
		shown.Turns, err = store.Transcript(ctx, *c, o.Ref)
	}
	return shown, err
}
