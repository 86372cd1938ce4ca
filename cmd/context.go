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
		Short: "Say what the next question would carry with it",
		Long: `Say which earlier turns of a conversation the next question would carry: their
size, the estimated tokens, and why a turn is left out. The conversation is the one
that is named, else that of HOBNOB_CONVERSATION, which chat continues, else the
latest. The estimate learns from what the agent has counted before.

--pin keeps a turn in the context, where the limits would leave it out; --skip
leaves it out, and --unmark takes either back. Nothing that is left out leaves this machine's disk.
The limits are the settings history.context_turns and history.context_tokens.`,
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
	flags.StringArrayVar(&opts.Unmark, "unmark", nil, "neither pin nor skip this `turn` (repeatable)")
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
	conversation, err := f.Conversation(ctx, store, opts.Ref)
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
