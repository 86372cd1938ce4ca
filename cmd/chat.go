package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

type chatOptions struct {
	f *cli.Factory

	Words        []string
	Agent        string
	Continue     bool
	Conversation string
	At           string
	Again        bool
	EditTurn     string
	Files        []string
	Template     string
	Vars         []string // name=value
	Edit         bool
	Interactive  bool
	Title        string
	History      int
	NoSave       bool
	Raw          bool
	Extract      string // a language, anyLanguage or nothing
	Copy         bool
	Usage        bool
	Detach       bool
	DryRun       bool

	// historyGiven tells --history 0 from its absence.
	historyGiven bool
}

func newChatCommand(f *cli.Factory) *cobra.Command {
	opts := chatOptions{f: f}
	cmd := &cobra.Command{
		Use:     "chat [PROMPT…]",
		Aliases: []string{"ask"},
		Short:   "Ask an agent, once or in a conversation",
		Long: `Send a prompt to an agent and print its reply.

The prompt is made of the arguments, then each file as a named block, then
standard input when it is a pipe or a file. With none of them, on a terminal, an
interactive chat begins: its /help lists what it can do.

Every question is written to the history before it is sent, and every reply
before it is shown. On a terminal the reply is rendered; in a pipe it comes byte
for byte. See also: hobnob help exit-codes.`,
		Example: `  hobnob chat "how do I undo the last commit?"
  hobnob chat -c "and keep the changes?"
  hobnob chat --again
  hobnob chat -f main.go -f main_test.go "review these"
  git diff --staged | hobnob chat -t commit
  tail -50 error.log | hobnob chat "what went wrong?"
  hobnob chat -x=sh "find the ten largest files" > largest.sh
  hobnob chat --json "name three rivers" | jq -r .reply`,
		GroupID:     groupAsk,
		Annotations: map[string]string{freeText: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Words = args
			opts.historyGiven = cmd.Flags().Changed("history")
			if !cmd.Flags().Changed("conversation") && !opts.Continue && opts.Title == "" && opts.At == "" && opts.EditTurn == "" {
				opts.Conversation = f.Env("HOBNOB_CONVERSATION")
			}
			for _, name := range []string{"at", "edit-turn"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return failure.WithHint(failure.Usagef("", "--%s names no turn", name), "see: %s", failure.Run("hobnob conversations tree"))
				}
			}
			if cmd.Flags().Changed("template") && opts.Template == "" {
				return failure.Usagef("see: hobnob templates list", "--template names no template")
			}
			if cmd.Flags().Changed("extract") && opts.Extract == "" {
				opts.Extract = anyLanguage
			}
			if err := opts.validate(); err != nil {
				return err
			}
			return runChat(cmd.Context(), opts)
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
	flags.StringVarP(&opts.Template, "template", "t", "", "ask the template of this `name`: hobnob templates list")
	flags.StringArrayVar(&opts.Vars, "var", nil, "give a variable of the template a value: `name=value` (repeatable)")
	flags.BoolVarP(&opts.Edit, "edit", "e", false, "write the prompt in $VISUAL or $EDITOR")
	flags.BoolVarP(&opts.Interactive, "interactive", "i", false, "go on asking, in an interactive chat")
	flags.StringVar(&opts.Title, "title", "", "`title` of the new conversation")
	flags.IntVar(&opts.History, "history", 0, "send at most this `number` of earlier turns; 0 sends none (default all)")
	flags.BoolVar(&opts.NoSave, "no-save", false, "keep nothing on this machine")
	flags.BoolVarP(&opts.Raw, "raw", "r", false, "do not render the reply")
	flags.StringVarP(&opts.Extract, "extract", "x", "", "print only the first block of code, or the first of a `language`: -x, -x=go")
	flags.Lookup("extract").NoOptDefVal = anyLanguage
	flags.BoolVar(&opts.Copy, "copy", false, "copy the reply, or the block of --extract, to the clipboard as well")
	flags.BoolVar(&opts.Usage, "usage", false, "say on stderr how many tokens were used")
	flags.BoolVar(&opts.Detach, "detach", false, "print the turn and leave; the question goes on in the background: hobnob wait")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "print the request and send nothing")
	flags.Int("retries", 2, "further attempts after a request that was certainly not accepted, up to 10")
	_ = cmd.RegisterFlagCompletionFunc("agent", complete{f}.agents)
	_ = cmd.RegisterFlagCompletionFunc("conversation", complete{f}.conversations)
	_ = cmd.RegisterFlagCompletionFunc("template", complete{f}.templates)
	_ = cmd.RegisterFlagCompletionFunc("var", complete{f}.variables)
	_ = cmd.RegisterFlagCompletionFunc("at", complete{f}.turns(complete{f}.chatConversation, true))
	_ = cmd.RegisterFlagCompletionFunc("edit-turn", complete{f}.turns(complete{f}.chatConversation, false))
	for _, flag := range []string{"title", "history", "retries", "extract"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	return cmd
}

func runChat(ctx context.Context, opts chatOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	save := profile.Save && !opts.NoSave
	if opts.Detach && !save {
		return needsHistory(profile)
	}
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
	question := chat.Question{AgentID: agentID, Conversation: conversation, Parent: branch.parent, Title: opts.title(conversation), Context: opts.limits(profile)}
	asker := chat.Asker{Client: client, History: store, Profile: profile.Name, Lifetime: chat.Lifetime(profile.Timeout, profile.Retries)}
	e := &exchange{f: f, opts: opts, profile: profile, client: client, asker: asker, save: save, pages: true}
	if !save && !opts.DryRun {
		memory, err := f.UnsavedHistory(ctx)
		if err != nil {
			return err
		}
		if question, err = e.asker.Unsaved(ctx, question, memory); err != nil {
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
		return keepDraft(draft, chat.Answer{}, e.interactive(ctx, question))
	case opts.Detach:
		answer, err := e.detach(ctx, question)
		return keepDraft(draft, answer, err)
	}
	answer, err := e.once(ctx, question)
	return keepDraft(draft, answer, err)
}

// keepDraft discards a draft as soon as its text is in the history or answered.
func keepDraft(draft string, answer chat.Answer, err error) error {
	if draft == "" {
		return err
	}
	if err == nil || answer.Saved {
		cli.Discard(draft)
		return err
	}
	return failure.WithHint(err, "%s", "the text is kept in "+draft)
}

// talks reports whether there is nothing to ask yet and somebody to ask for it.
func (o chatOptions) talks() bool {
	return len(o.Words) == 0 && len(o.Files) == 0 && o.Template == "" && !o.Edit && !o.Again && o.EditTurn == "" && !o.DryRun && !o.f.Global.JSON && o.f.IO.InTTY
}
