package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type conversationsShowOptions struct {
	f *Factory

	Ref  string
	Turn string
	All  bool
}

func newConversationsShowCommand(f *Factory) *cobra.Command {
	opts := conversationsShowOptions{f: f}
	cmd := &cobra.Command{
		Use:   "show [ID|TITLE]",
		Short: "Read a conversation, from its first question to its head",
		Long: `Read a conversation, from its first question to its head: the latest one, or the
one named by its id, its first characters, its title, or an id that the service
gave. --verbose adds times, agent, tokens and the service's ids.`,
		Example: `  hobnob conversations show
  hobnob conversations show 3f2a --all
  hobnob conversations show --turn 8c1d --verbose`,
		Args:              atMostOne,
		ValidArgsFunction: f.completeFirst(f.completeConversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Ref = args[0]
			}
			if opts.All && opts.Turn != "" {
				return usagef("see: hobnob conversations show --help", "--all and --turn exclude each other")
			}
			if cmd.Flags().Changed("turn") && opts.Turn == "" {
				return usagef("see: hobnob conversations tree"+ofProfile, "--turn names no turn")
			}
			return runConversationsShow(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Turn, "turn", "", "show this turn alone: an `id` or its first characters")
	cmd.Flags().BoolVar(&opts.All, "all", false, "show every turn, of all branches, answered or not")
	_ = cmd.RegisterFlagCompletionFunc("turn", f.completeTurns(firstArgument, false))
	return cmd
}

func runConversationsShow(ctx context.Context, opts conversationsShowOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	conversation, turns, err := opts.find(ctx, store)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.printJSON(conversationJSON(conversation, turns))
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	profile, err := c.Profile(conversation.Profile)
	if err != nil { // the profile is gone; its agents have no names then
		profile = config.Profile{Name: conversation.Profile}
	}
	return f.page(f.transcript(conversation, turns, profile))
}

func (o conversationsShowOptions) find(ctx context.Context, store *history.Store) (history.Conversation, []history.Turn, error) {
	if o.Turn != "" && store != nil {
		in := ""
		if o.Ref != "" {
			c, err := o.f.conversation(ctx, store, o.Ref)
			if err != nil {
				return c, nil, err
			}
			in = c.ID
		}
		turn, err := store.FindTurn(ctx, in, o.Turn)
		if err != nil {
			if turn, err = store.FindByService(ctx, o.Turn); err != nil {
				return history.Conversation{}, nil, err
			}
		}
		c, err := store.Find(ctx, turn.Conversation)
		return c, []history.Turn{turn}, inTrash(ctx, store, err)
	}
	c, err := o.f.conversation(ctx, store, o.Ref)
	if err != nil {
		return c, nil, err
	}
	if named, err := store.FindByService(ctx, o.Ref); err == nil && !o.All {
		// The service's id means one turn, which may be on another branch.
		if named.State != history.Answered {
			return c, []history.Turn{named}, nil
		}
		turns, err := store.Path(ctx, named.ID, 0)
		return c, turns, err
	}
	if o.All || c.Head == "" { // without an answer there is no path
		turns, err := store.Turns(ctx, c.ID)
		return c, turns, err
	}
	turns, err := store.Path(ctx, c.Head, 0)
	return c, turns, err
}

// transcript is a conversation for a person: rendered on a terminal, Markdown
// in a pipe.
func (f *Factory) transcript(c history.Conversation, turns []history.Turn, profile config.Profile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", f.heading(c.Title, "# "))
	for _, t := range turns {
		mark := ""
		if t.ID == c.Head {
			mark = ", head"
		}
		fmt.Fprintf(&b, "\n%s\n\n", f.heading(fmt.Sprintf("%s, %s%s%s", history.Short(t.ID), f.when(t.Asked), mark, markName(t.Mark)), "## "))
		if f.Global.Verbose {
			for _, p := range turnDetails(t, profile) {
				fmt.Fprintf(&b, "- %s: %s\n", p.name, terminal.CleanLine(p.value))
			}
			b.WriteString("\n")
		}
		for line := range strings.Lines(f.clean(t.Question)) {
			b.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
		}
		b.WriteString("\n")
		switch {
		case t.State != history.Answered:
			fmt.Fprintf(&b, "(%s: %s)\n", t.State, terminal.CleanLine(first(t.Failure, "no answer yet")))
		case f.IO.OutTTY:
			b.WriteString(f.IO.Markdown(t.Reply, profile.Style))
		default:
			b.WriteString(strings.TrimRight(t.Reply, "\n") + "\n")
		}
	}
	return b.String()
}

// heading is bold on a terminal with colour and Markdown elsewhere.
func (f *Factory) heading(text, markdown string) string {
	text = terminal.CleanLine(text)
	if f.IO.OutTTY && f.IO.OutColor {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return markdown + text
}

func (f *Factory) clean(text string) string {
	if f.IO.OutTTY {
		return f.IO.Clean(text)
	}
	return text
}

// when is a time as the output wants it: relative for a person, exact in a pipe.
func (f *Factory) when(t time.Time) string {
	if f.IO.OutTTY && !f.Global.Verbose {
		return ago(t, time.Now())
	}
	return t.Format(time.RFC3339)
}

func markName(m history.Mark) string {
	switch m {
	case history.Pinned:
		return ", pinned"
	case history.Skipped:
		return ", skipped"
	}
	return ""
}

func turnDetails(t history.Turn, profile config.Profile) []pair {
	pairs := []pair{{"turn", t.ID}, {"state", string(t.State)}, {"asked", t.Asked.Format(time.RFC3339Nano)}}
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, pair{name, value})
		}
	}
	add("parent", t.Parent)
	if !t.Ended.IsZero() {
		add("took", t.Ended.Sub(t.Asked).String())
	}
	add("agent", profile.AgentName(t.AgentID))
	add("model", t.Service.Model)
	add("finish reason", t.Service.FinishReason)
	if u := t.Service.Usage; u != nil {
		add("tokens", fmt.Sprintf("%d prompt + %d completion = %d", u.PromptTokens, u.CompletionTokens, u.TotalTokens))
	}
	add("service completion", t.Service.ID)
	add("service conversation", t.Service.ConversationID)
	return pairs
}

// turnJSON is a turn in the output of show and tree.
type turnJSON struct {
	ID           string     `json:"id"`
	Conversation string     `json:"conversation"`
	Parent       *string    `json:"parent"`
	State        string     `json:"state"`
	Question     string     `json:"question"`
	Reply        *string    `json:"reply"`
	AgentID      *string    `json:"agent_id"`
	Asked        time.Time  `json:"asked"`
	Ended        *time.Time `json:"ended"`
	Failure      *string    `json:"failure"`
	Mark         *string    `json:"mark"`
	Model        *string    `json:"model"`
	Usage        *usageJSON `json:"usage"`
	Service      struct {
		ID             *string `json:"id"`
		ConversationID *string `json:"conversation_id"`
	} `json:"service"`
}

type usageJSON struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

func conversationJSON(c history.Conversation, turns []history.Turn) map[string]any {
	return map[string]any{
		"id": c.ID, "title": c.Title, "profile": c.Profile, "agent_id": orNull(c.AgentID), "head": orNull(c.Head),
		"created": c.Created, "updated": c.Updated, "turns": turnsJSON(turns),
	}
}

func newTurnJSON(t history.Turn) turnJSON {
	out := turnJSON{
		ID: t.ID, Conversation: t.Conversation, Parent: orNull(t.Parent), State: string(t.State), Question: t.Question, AgentID: orNull(t.AgentID),
		Asked: t.Asked, Failure: orNull(t.Failure), Mark: orNull(string(t.Mark)), Model: orNull(t.Service.Model),
	}
	if t.State == history.Answered {
		out.Reply = &t.Reply
	}
	if !t.Ended.IsZero() {
		out.Ended = &t.Ended
	}
	if u := t.Service.Usage; u != nil {
		out.Usage = &usageJSON{u.PromptTokens, u.CompletionTokens, u.TotalTokens}
	}
	out.Service.ID, out.Service.ConversationID = orNull(t.Service.ID), orNull(t.Service.ConversationID)
	return out
}
