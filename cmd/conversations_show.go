package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/terminal"
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
		Short: "Read a conversation, from its first question to its head",
		Long: `Read a conversation, from its first question to its head: the latest one, or the
one named by its id, its first characters, its title, or an id that the service
gave. --verbose adds times, agent, tokens and the service's ids.`,
		Example: `  hobnob conversations show
  hobnob conversations show 3f2a --all
  hobnob conversations show --turn 8c1d --verbose`,
		Args:              atMostOne,
		ValidArgsFunction: firstArgumentOnly(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Ref = args[0]
			}
			if opts.All && opts.Turn != "" {
				return failure.Usagef("see: hobnob conversations show --help", "--all and --turn exclude each other")
			}
			if cmd.Flags().Changed("turn") && opts.Turn == "" {
				return failure.WithHint(failure.Usagef("", "--turn names no turn"), "see: %s", failure.Run("hobnob conversations tree"))
			}
			return runConversationsShow(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Turn, "turn", "", "show this turn alone: an `id` or its first characters")
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
	conversation, turns, err := opts.find(ctx, store)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.Print.JSON(conversationJSON(conversation, turns))
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	profile, err := c.Profile(conversation.Profile)
	if err != nil { // the profile is gone; its agents have no names then
		profile = config.Profile{Name: conversation.Profile}
	}
	return f.Print.Page(renderConversation(f, conversation, turns, profile))
}

func (o conversationsShowOptions) find(ctx context.Context, store *history.Store) (history.Conversation, []history.Turn, error) {
	if o.Turn != "" {
		in := ""
		if o.Ref != "" {
			c, err := o.f.Conversation(ctx, store, o.Ref)
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
		return c, []history.Turn{turn}, err
	}
	c, err := o.f.Conversation(ctx, store, o.Ref)
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
func renderConversation(f *cli.Factory, c history.Conversation, turns []history.Turn, profile config.Profile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", heading(f, c.Title, "# "))
	for _, t := range turns {
		mark := ""
		if t.ID == c.Head {
			mark = ", head"
		}
		fmt.Fprintf(&b, "\n%s\n\n", heading(f, fmt.Sprintf("%s, %s%s%s", history.Short(t.ID), when(f, t.Asked), mark, markName(t.Mark)), "## "))
		if f.Global.Verbose {
			for _, p := range turnDetails(t, profile) {
				fmt.Fprintf(&b, "- %s: %s\n", p[0], terminal.CleanLine(p[1]))
			}
			b.WriteString("\n")
		}
		for line := range strings.Lines(f.Print.Clean(t.Question)) {
			b.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
		}
		b.WriteString("\n")
		switch {
		case t.State != history.Answered:
			fmt.Fprintf(&b, "(%s: %s)\n", t.State, terminal.CleanLine(cmp.Or(t.Failure.Text, "no answer yet")))
		case f.IO.OutTTY:
			b.WriteString(markdown.Render(t.Reply, markdownOptions(f, profile.Style)))
		default:
			b.WriteString(strings.TrimRight(t.Reply, "\n") + "\n")
		}
	}
	return b.String()
}

// heading is bold on a terminal with colour and Markdown elsewhere.
func heading(f *cli.Factory, text, markdown string) string {
	text = terminal.CleanLine(text)
	if f.IO.OutTTY && f.IO.OutColor {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return markdown + text
}

// when is a time as the output wants it: relative for a person, exact in a pipe.
func when(f *cli.Factory, t time.Time) string {
	if f.IO.OutTTY && !f.Global.Verbose {
		return duration.Ago(t, time.Now())
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

func turnDetails(t history.Turn, profile config.Profile) [][2]string {
	pairs := [][2]string{{"turn", t.ID}, {"state", string(t.State)}, {"asked", t.Asked.Format(time.RFC3339Nano)}}
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, [2]string{name, value})
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
		"id": c.ID, "title": c.Title, "profile": c.Profile, "agent_id": cli.OrNull(c.AgentID), "head": cli.OrNull(c.Head),
		"created": c.Created, "updated": c.Updated, "turns": turnsJSON(turns),
	}
}

func newTurnJSON(t history.Turn) turnJSON {
	out := turnJSON{
		ID: t.ID, Conversation: t.Conversation, Parent: cli.OrNull(t.Parent), State: string(t.State), Question: t.Question, AgentID: cli.OrNull(t.AgentID),
		Asked: t.Asked, Failure: cli.OrNull(t.Failure.Text), Mark: cli.OrNull(string(t.Mark)), Model: cli.OrNull(t.Service.Model),
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
	out.Service.ID, out.Service.ConversationID = cli.OrNull(t.Service.ID), cli.OrNull(t.Service.ConversationID)
	return out
}
