package cmd

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type contextOptions struct {
	f *cli.Factory

	Ref    string
	Pin    []string
	Skip   []string
	Unmark []string
}

func newContextCommand(f *cli.Factory) *cobra.Command {
	opts := contextOptions{f: f}
	named := func(cmd *cobra.Command, args []string) string {
		return cmp.Or(firstArgument(cmd, args), f.Env("HOBNOB_CONVERSATION"))
	}
	cmd := &cobra.Command{
		Use:   "context [CONVERSATION]",
		Short: "Show the context of the next question",
		Long: `Show what is sent with the next question of a conversation: its instructions and
earlier turns, their size and estimated number of tokens, and why a turn is
omitted. The conversation is the one that you name, otherwise that of HOBNOB_CONVERSATION,
otherwise the latest. The estimate is based on the tokens that the agent reported
for earlier replies.

--pin always sends a turn, regardless of the limits, --skip omits it, and
--unmark undoes either. Omitted turns stay in the history. The limits are the
settings history.context_turns and history.context_tokens.`,
		Example: `  hobnob context
  hobnob context --pin 8c1d
  hobnob context 3f2a --skip 9e0f --skip 77aa`,
		GroupID:           groupAsk,
		ValidArgsFunction: complete{f}.first(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Ref = named(cmd, args)
			return runContext(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&opts.Pin, "pin", nil, "always send this `turn` (repeatable)")
	flags.StringArrayVar(&opts.Skip, "skip", nil, "never send this `turn` (repeatable)")
	flags.StringArrayVar(&opts.Unmark, "unmark", nil, "undo --pin or --skip of this `turn` (repeatable)")
	for _, flag := range []string{"pin", "skip", "unmark"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, complete{f}.turns(named, false))
	}
	return cmd
}

func runContext(ctx context.Context, opts contextOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	conversation, err := cli.FindConversation(ctx, f, store, opts.Ref)
	if err != nil {
		return err
	}
	if len(opts.Pin)+len(opts.Skip)+len(opts.Unmark) > 0 {
		if store, err = f.History(ctx); err != nil {
			return err
		}
		marks := map[history.Mark][]string{history.Pinned: opts.Pin, history.Skipped: opts.Skip, history.Unmarked: opts.Unmark}
		if err := store.SetMarks(ctx, conversation.ID, marks); err != nil {
			return err
		}
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	profile, err := c.Profile(conversation.Profile)
	if err != nil {
		return err
	}
	asker := chat.Asker{History: store, Profile: profile.Name}
	question := chat.Question{Conversation: &conversation, AgentID: conversation.AgentID, Context: ask.LimitsOf(profile)}
	considered, err := asker.Consider(ctx, question)
	if err != nil {
		return err
	}
	unanswered, _, err := store.LastUnanswered(ctx, conversation)
	if err != nil {
		return err
	}
	return view.Context(f.Print, conversation.ID, considered, unanswered)
}
