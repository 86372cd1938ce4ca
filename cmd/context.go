package cmd

import (
	"cmp"
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
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
		Args:              atMostOne,
		ValidArgsFunction: firstArgumentOnly(complete{f}.conversations),
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
		if err := opts.mark(ctx, store, conversation); err != nil {
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
	question := chat.Question{Conversation: &conversation, AgentID: conversation.AgentID, Context: chat.Limits{Turns: profile.ContextTurns, Tokens: profile.ContextTokens}}
	considered, err := asker.Consider(ctx, question)
	if err != nil {
		return err
	}
	unanswered := ""
	if last, ok, err := store.LastUnanswered(ctx, conversation); err == nil && ok {
		unanswered = history.TitleOf(last.Question)
	}
	return printContext(f, conversation, considered, unanswered)
}

// mark finds all turns before it changes one.
func (o contextOptions) mark(ctx context.Context, store *history.Store, c history.Conversation) error {
	type change struct {
		turn history.Turn
		mark history.Mark
	}
	var changes []change
	for _, group := range []struct {
		refs []string
		mark history.Mark
	}{{o.Unmark, history.Unmarked}, {o.Pin, history.Pinned}, {o.Skip, history.Skipped}} {
		for _, ref := range group.refs {
			turn, err := store.FindTurn(ctx, c.ID, ref)
			if err != nil {
				return err
			}
			changes = append(changes, change{turn, group.mark})
		}
	}
	for _, ch := range changes {
		if err := store.SetMark(ctx, ch.turn, ch.mark); err != nil {
			return err
		}
	}
	return nil
}

// contextRow is one turn of the path in the output of context.
type contextRow struct {
	Turn       string  `json:"turn"`
	Question   string  `json:"question"`
	Characters int     `json:"characters"`
	Tokens     int     `json:"tokens"`
	Mark       *string `json:"mark"`
	Sent       bool    `json:"sent"`
	Left       *string `json:"left"`
}

func printContext(f *cli.Factory, c history.Conversation, considered []chat.Considered, unanswered string) error {
	rows := make([]contextRow, len(considered))
	turns, characters, tokens := 0, 0, 0
	for i, t := range considered {
		size := utf8.RuneCountInString(t.Turn.Question) + utf8.RuneCountInString(t.Turn.Reply)
		rows[i] = contextRow{t.Turn.ID, t.Turn.Question, size, t.Tokens, cli.OrNull(string(t.Turn.Mark)), t.Left == "", cli.OrNull(t.Left)}
		if t.Left == "" {
			turns, characters, tokens = turns+1, characters+size, tokens+t.Tokens
		}
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"conversation": c.ID, "turns": turns, "characters": characters, "tokens": tokens, "path": rows, "unanswered": cli.OrNull(unanswered)})
	}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		what := "sent"
		if r.Left != nil {
			what = "left out: " + *r.Left
		} else if r.Mark != nil {
			what = "sent, pinned"
		}
		cells[i] = []string{history.Short(r.Turn), r.Question, strconv.Itoa(r.Characters), strconv.Itoa(r.Tokens), what}
	}
	if err := cli.OutputError(f.IO.Table([]terminal.Column{
		{Title: "TURN"}, {Title: "QUESTION", Flexible: true}, {Title: "CHARACTERS", Right: true}, {Title: "TOKENS", Right: true}, {Title: "CONTEXT"},
	}, cells)); err != nil {
		return err
	}
	if unanswered != "" {
		f.Print.Note("the last question, which has no answer, is never sent: %s", unanswered)
	}
	f.Print.Note("the next question carries %d of %d turns, %d characters, about %d tokens", turns, len(rows), characters, tokens)
	return nil
}
