package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
)

type chatOptions struct {
	f *Factory

	Words        []string
	Agent        string
	Continue     bool
	Conversation string
	At           string
	Again        bool
	EditTurn     string
	Files        []string
	Edit         bool
	Interactive  bool
	Title        string
	History      int
	NoSave       bool
	Raw          bool
	Usage        bool
	DryRun       bool

	// historyGiven tells --history 0 from its absence.
	historyGiven bool
}

func newChatCommand(f *Factory, run func(context.Context, chatOptions) error) *cobra.Command {
	opts := chatOptions{f: f}
	if run == nil {
		run = runChat
	}
	cmd := &cobra.Command{
		Use:     "chat [PROMPT…]",
		Aliases: []string{"ask"},
		Short:   "Ask an agent, once or in a conversation",
		Long: `Send a prompt to an agent and print its reply.

The prompt is made of the arguments, then each file as a named block, then
standard input when it is a pipe or a file. With none of them, on a terminal, a
line-by-line chat begins.

Every question is written to the history before it is sent, and every reply
before it is shown. On a terminal the reply is rendered; in a pipe it comes byte
for byte. See also: hobnob help exit-codes.`,
		Example: `  hobnob chat "how do I undo the last commit?"
  hobnob chat -c "and keep the changes?"
  hobnob chat --again
  hobnob chat -f main.go -f main_test.go "review these"
  tail -50 error.log | hobnob chat "what went wrong?"
  hobnob chat --json "name three rivers" | jq -r .reply`,
		GroupID: groupAsk,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Words = args
			opts.historyGiven = cmd.Flags().Changed("history")
			if !cmd.Flags().Changed("conversation") && !opts.Continue && opts.Title == "" && opts.At == "" && opts.EditTurn == "" {
				opts.Conversation = f.Env("HOBNOB_CONVERSATION")
			}
			for _, name := range []string{"at", "edit-turn"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return usagef("see: hobnob conversations tree", "--%s names no turn", name)
				}
			}
			if err := opts.validate(); err != nil {
				return err
			}
			return run(cmd.Context(), opts)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Agent, "agent", "a", "", "ask this agent: the `name` of an alias, or a UUID")
	flags.BoolVarP(&opts.Continue, "continue", "c", false, "continue the latest conversation of the profile")
	flags.StringVarP(&opts.Conversation, "conversation", "C", "", "continue this conversation: an `id`, its first characters, or a title")
	flags.StringVar(&opts.At, "at", "", "continue from this earlier `turn`, which makes a branch")
	flags.BoolVar(&opts.Again, "again", false, "ask the last question of the conversation again, beside the first answer")
	flags.StringVar(&opts.EditTurn, "edit-turn", "", "open the question of this `turn` in the editor and ask it beside the old one")
	flags.StringArrayVarP(&opts.Files, "file", "f", nil, "add this `file` to the prompt; - is standard input (repeatable)")
	flags.BoolVarP(&opts.Edit, "edit", "e", false, "write the prompt in $VISUAL or $EDITOR")
	flags.BoolVarP(&opts.Interactive, "interactive", "i", false, "go on asking, line by line")
	flags.StringVar(&opts.Title, "title", "", "`title` of the new conversation")
	flags.IntVar(&opts.History, "history", 0, "send at most this `number` of earlier turns; 0 sends none (default all)")
	flags.BoolVar(&opts.NoSave, "no-save", false, "keep nothing on this machine")
	flags.BoolVarP(&opts.Raw, "raw", "r", false, "do not render the reply")
	flags.BoolVar(&opts.Usage, "usage", false, "say on stderr how many tokens were used")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "print the request and send nothing")
	flags.Int("retries", 2, "further attempts after a request that was certainly not accepted, up to 10")
	_ = cmd.RegisterFlagCompletionFunc("agent", f.completeAgents)
	_ = cmd.RegisterFlagCompletionFunc("conversation", f.completeConversations)
	for _, flag := range []string{"title", "history", "retries", "at", "edit-turn"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	return cmd
}

// validate refuses flags that contradict each other.
func (o chatOptions) validate() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Continue && o.Conversation != "":
		return usagef(see, "--continue and --conversation exclude each other")
	case o.Title != "" && (o.Continue || o.Conversation != ""):
		return usagef(see, "--title names a new conversation; it cannot be used while continuing one")
	case o.branches() > 1:
		return usagef(see, "--at, --again and --edit-turn exclude each other")
	case o.Title != "" && o.branches() > 0:
		return usagef(see, "--title names a new conversation; it cannot be used with --at, --again or --edit-turn")
	case o.Again && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return usagef("leave the prompt out, or use --edit-turn to change it", "--again asks the last question as it was")
	case o.EditTurn != "" && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return usagef("leave the prompt out", "--edit-turn takes the prompt from the editor")
	case o.History < 0:
		return usagef(see, "--history cannot be %d; want 0 or more", o.History)
	case o.Interactive && (o.f.Global.JSON || o.DryRun):
		return usagef(see, "--interactive cannot be used with --json or --dry-run")
	case o.Interactive && !o.f.IO.InTTY:
		return usagef("leave --interactive out to ask once", "an interactive chat needs a terminal on standard input")
	}
	return nil
}

// branches counts the flags that make a branch.
func (o chatOptions) branches() int {
	n := 0
	for _, given := range []bool{o.At != "", o.Again, o.EditTurn != ""} {
		if given {
			n++
		}
	}
	return n
}

func runChat(ctx context.Context, opts chatOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	save := profile.Save && !opts.NoSave
	store, conversation, branch, err := opts.continued(ctx, profile, save && !opts.DryRun)
	if err != nil {
		return err
	}
	agentID, err := opts.agent(profile, conversation)
	if err != nil {
		return err
	}
	client, err := f.Client(ctx, profile, !save)
	if err != nil {
		return err
	}
	question := chat.Question{AgentID: agentID, Conversation: conversation, Parent: branch.parent, Title: opts.Title, Context: opts.limits(profile)}
	asker := chat.Asker{Client: client, History: store, Profile: profile.Name, Lifetime: lifetime(profile)}
	e := &exchange{f: f, opts: opts, profile: profile, client: client, asker: asker, save: save}
	if !save && !opts.DryRun {
		if err := e.withoutHistory(ctx, &question); err != nil {
			return err
		}
	}
	if opts.talks() {
		return e.interactive(ctx, question)
	}
	var draft string
	if question.Text, draft, err = opts.ask(ctx, branch); err != nil {
		return err
	}
	if conversation != nil && question.Conversation != nil && branch.parent == nil {
		// Reading the prompt may have taken long, in a pipe or an editor.
		if *conversation, err = store.Find(ctx, conversation.ID); err != nil {
			return keepDraft(draft, chat.Answer{}, err)
		}
	}
	switch {
	case opts.DryRun:
		return keepDraft(draft, chat.Answer{}, e.preview(ctx, question))
	case opts.Interactive:
		return e.interactive(ctx, question)
	}
	answer, err := e.once(ctx, question)
	return keepDraft(draft, answer, err)
}

// keepDraft discards a draft as soon as its text is in the history or answered.
func keepDraft(draft string, answer chat.Answer, err error) error {
	if draft == "" {
		return err
	}
	if err == nil || answer.Conversation != "" {
		discard(draft)
		return err
	}
	return &hintError{err: err, hint: "the text is kept in " + draft}
}

// talks reports whether there is nothing to ask yet and somebody to ask for it.
func (o chatOptions) talks() bool {
	return len(o.Words) == 0 && len(o.Files) == 0 && !o.Edit && !o.Again && o.EditTurn == "" && !o.DryRun && !o.f.Global.JSON && o.f.IO.InTTY
}

// continued opens the history, for writing when something will be saved, and
// finds the conversation to continue, nil for a new one.
func (o chatOptions) continued(ctx context.Context, profile config.Profile, write bool) (*history.Store, *history.Conversation, branch, error) {
	open := o.f.History
	goesOn := o.Continue || o.Conversation != "" || o.branches() > 0
	if !write {
		if open = o.f.ReadHistory; !goesOn {
			return nil, nil, branch{}, nil
		}
	}
	store, err := open(ctx)
	if err == nil && write {
		err = store.Writable()
	}
	if err != nil && write {
		err = &chat.JournalError{Err: err}
	}
	if err != nil {
		return nil, nil, branch{}, err
	}
	if !goesOn {
		return store, nil, branch{}, nil
	}
	if store == nil {
		return nil, nil, branch{}, &hintError{err: &history.NotFoundError{Ref: first(o.Conversation, "latest")}, hint: "there is no history yet; ask without -c"}
	}
	var found history.Conversation
	switch turn := first(o.At, o.EditTurn); {
	case turn != "" && o.Conversation == "" && !o.Continue:
		var t history.Turn
		if t, err = store.FindTurn(ctx, "", turn); err == nil {
			found, err = store.Find(ctx, t.Conversation)
		}
	case o.Conversation == "":
		found, err = store.Latest(ctx, profile.Name)
		var missing *history.NotFoundError
		if errors.As(err, &missing) {
			err = &hintError{err: err, hint: fmt.Sprintf("the profile %q has no conversation yet; ask without -c", profile.Name)}
		}
	default:
		found, err = store.Find(ctx, o.Conversation)
	}
	if err != nil {
		return nil, nil, branch{}, err
	}
	if _, chosen := o.f.flags[config.ProfileKey]; found.Profile != profile.Name && !chosen {
		return nil, nil, branch{}, usagef(fmt.Sprintf("continue it there with -p %s, or send it here with -p %s", found.Profile, profile.Name),
			"conversation %s belongs to the profile %q, not to %q", history.Short(found.ID), found.Profile, profile.Name)
	}
	at, err := o.branch(ctx, store, found)
	if err != nil {
		return nil, nil, branch{}, err
	}
	if last, ok, err := store.LastUnanswered(ctx, found); err == nil && ok && o.branches() == 0 {
		o.f.note("the last question of this conversation has no answer (%s) and is left out: %s", last.State, history.TitleOf(last.Question))
	}
	return store, &found, at, nil
}

// agent is the one named by the flag, else the conversation's own, else the profile's.
func (o chatOptions) agent(profile config.Profile, conversation *history.Conversation) (string, error) {
	if o.Agent == "" && conversation != nil && conversation.Profile == profile.Name && conversation.AgentID != "" {
		return conversation.AgentID, nil
	}
	return profile.AgentID(profile.Agent)
}

func (o chatOptions) limits(profile config.Profile) chat.Limits {
	if o.historyGiven {
		return chat.Limits{None: o.History == 0, Turns: o.History}
	}
	return chat.Limits{Turns: profile.ContextTurns, Tokens: profile.ContextTokens}
}

// lifetime is longer than everything that the client may do for one question:
// connecting and one attempt, again for each retry, and waiting in between.
func lifetime(profile config.Profile) time.Duration {
	return (profile.Timeout+time.Minute)*time.Duration(profile.Retries+1) + 2*time.Minute
}

// preview prints the request that would be sent.
func (e *exchange) preview(ctx context.Context, question chat.Question) error {
	plan, err := e.asker.Plan(ctx, question)
	if err != nil {
		return err
	}
	preview, err := e.client.Preview(plan.Request)
	if err != nil {
		return err
	}
	if e.f.Global.JSON {
		headers := map[string]string{}
		for _, h := range preview.Headers {
			headers[h[0]] = h[1]
		}
		return e.f.printJSON(map[string]any{"version": 1, "method": preview.Method, "url": preview.URL, "headers": headers, "body": plan.Request})
	}
	if err := e.f.printf("%s %s\n", preview.Method, preview.URL); err != nil {
		return err
	}
	for _, h := range preview.Headers {
		if err := e.f.printf("%s: %s\n", h[0], h[1]); err != nil {
			return err
		}
	}
	return e.f.printText("\n" + string(preview.Body) + "\n")
}

// withoutHistory carries the context in memory, because nothing may be written.
func (e *exchange) withoutHistory(ctx context.Context, question *chat.Question) error {
	considered, err := e.asker.Consider(ctx, *question)
	if err != nil {
		return err
	}
	for _, c := range considered {
		if c.Left == "" {
			question.Earlier = append(question.Earlier, c.Turn)
		}
	}
	question.Conversation, question.Parent, e.asker.History = nil, nil, nil
	return nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
