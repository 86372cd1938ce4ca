package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/prompt"
	"github.com/hobnob-cli/hobnob/internal/repl"
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

	limited bool // --history was given: 0 is not its absence
}

// anyLanguage is --extract without a language.
const anyLanguage = "any"

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
			opts.limited = cmd.Flags().Changed("history")
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
		return failure.WithHint(failure.Usagef("", "--detach needs the history, and history.save is false in the profile %q", profile.Name),
			"%s, or leave --detach out", failure.Run("hobnob config set history.save true"))
	}
	asker, question, err := ask.Prepare(ctx, f, profile, opts.setup(save))
	if err != nil {
		return err
	}
	if opts.talks() {
		return repl.Run(ctx, f, asker, question, opts.Again)
	}
	var draft string
	if question.Text, draft, err = opts.text(ctx, question.Text); err != nil {
		return err
	}
	if question.Conversation != nil && question.Parent == nil {
		// Reading the prompt may have taken long, in a pipe or an editor.
		if *question.Conversation, err = asker.Chat.History.Find(ctx, question.Conversation.ID); err != nil {
			return keepDraft(draft, false, err)
		}
	}
	var recorded bool
	switch {
	case opts.DryRun:
		err = preview(ctx, f, asker, question)
	case opts.Interactive:
		err = repl.Run(ctx, f, asker, question, opts.Again)
	case opts.Detach:
		recorded, err = detach(ctx, f, asker, question)
	default:
		var answer chat.Answer
		answer, err = asker.Once(ctx, question)
		recorded = answer.Conversation != "" && save
	}
	return keepDraft(draft, recorded, err)
}

func (o chatOptions) setup(save bool) ask.Setup {
	s := ask.Setup{
		Selection: chat.Selection{Latest: o.Continue, Conversation: o.Conversation, At: o.At, Edit: o.EditTurn, Again: o.Again},
		Options:   ask.Options{Raw: o.Raw, Usage: o.Usage, Copy: o.Copy, Paged: true},
		Agent:     o.Agent, Title: o.Title, Save: save, DryRun: o.DryRun,
	}
	switch o.Extract {
	case "":
	case anyLanguage:
		s.Block = new(string)
	default:
		s.Block = &o.Extract
	}
	if o.limited {
		s.Limits = &chat.Limits{None: o.History == 0, Turns: o.History}
	}
	if s.IsNew() && o.Title == "" && o.Template != "" {
		s.Title = prompt.TemplateTitle(o.Template, slices.Concat(o.Words, o.Files))
	}
	return s
}

// text returns the text of the question: the one that is asked again, the edited
// one, or what the command line and standard input give.
func (o chatOptions) text(ctx context.Context, earlier string) (text, draft string, err error) {
	switch {
	case o.Again:
		return earlier, "", nil
	case o.EditTurn != "":
		return prompt.EditQuestion(ctx, o.f, earlier)
	}
	return prompt.Sources{Words: o.Words, Files: o.Files, Template: o.Template, Variables: o.Vars, Edit: o.Edit}.Text(ctx, o.f)
}

// keepDraft discards a draft as soon as its text is recorded or answered.
func keepDraft(draft string, recorded bool, err error) error {
	if draft == "" {
		return err
	}
	if err == nil || recorded {
		cli.Discard(draft)
		return err
	}
	return failure.WithHint(err, "the text is kept in %s", draft)
}

// preview prints the request that would be sent.
func preview(ctx context.Context, f *cli.Factory, asker ask.Asker, question chat.Question) error {
	request, preview, err := asker.Preview(ctx, question)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		headers := map[string]string{}
		for _, h := range preview.Headers {
			headers[h[0]] = h[1]
		}
		return f.Print.JSON(map[string]any{"version": 1, "method": preview.Method, "url": preview.URL, "headers": headers, "body": request})
	}
	text := preview.Method + " " + preview.URL + "\n"
	for _, h := range preview.Headers {
		text += h[0] + ": " + h[1] + "\n"
	}
	return f.Print.Text(text + "\n" + string(preview.Body) + "\n")
}

// talks reports whether there is nothing to ask yet and a terminal to ask for it.
func (o chatOptions) talks() bool {
	return len(o.Words) == 0 && len(o.Files) == 0 && o.Template == "" && !o.Edit && !o.Again && o.EditTurn == "" && !o.DryRun && !o.f.Global.JSON && o.f.IO.InTTY
}

// validate refuses flags that contradict each other.
func (o chatOptions) validate() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Continue && o.Conversation != "":
		return failure.Usagef(see, "--continue and --conversation exclude each other")
	case o.Title != "" && (o.Continue || o.Conversation != ""):
		return failure.Usagef(see, "--title names a new conversation; it cannot be used while continuing one")
	case o.Title != "" && o.NoSave:
		return failure.Usagef(see, "--title and --no-save exclude each other: nothing is kept that could have a title")
	case o.Title != "" && strings.TrimSpace(o.Title) == "":
		return failure.Usagef("leave --title out to make it of the question", "a title cannot be empty")
	case o.branches() > 1:
		return failure.Usagef(see, "--at, --again and --edit-turn exclude each other")
	case o.Title != "" && o.branches() > 0:
		return failure.Usagef(see, "--title names a new conversation; it cannot be used with --at, --again or --edit-turn")
	case o.Again && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return failure.Usagef("leave the prompt out, or use --edit-turn to change it", "--again asks the last question as it was")
	case o.EditTurn != "" && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return failure.Usagef("leave the prompt out", "--edit-turn takes the prompt from the editor")
	case len(o.Vars) > 0 && o.Template == "":
		return failure.Usagef("name the template with -t: hobnob templates list", "--var gives a value to a template, and there is none")
	case o.Template != "" && (o.Again || o.EditTurn != ""):
		return failure.Usagef(see, "--template makes a new question; it cannot be used with --again or --edit-turn")
	case o.History < 0:
		return failure.Usagef(see, "--history cannot be %d; want 0 or more", o.History)
	case o.Extract != "" && o.f.Global.JSON:
		return failure.Usagef("leave --json out, or take the block from the field reply", "--extract and --json exclude each other")
	case (o.Extract != "" || o.Copy) && o.DryRun:
		return failure.Usagef(see, "--extract and --copy want a reply, which --dry-run does not ask for")
	case (o.Extract != "" || o.Copy) && (o.Interactive || o.talks()):
		return failure.Usagef("ask on the command line, or type /copy in the chat", "--extract and --copy are for one question, not for an interactive chat")
	case o.Interactive && (o.f.Global.JSON || o.DryRun):
		return failure.Usagef(see, "--interactive cannot be used with --json or --dry-run")
	case o.Interactive && !o.f.IO.InTTY:
		return failure.Usagef("leave --interactive out to ask once", "an interactive chat needs a terminal on standard input")
	case o.Detach:
		return o.validateDetach()
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

// validateDetach refuses flags of `chat` that need an answer now, or a history
// that is not written.
func (o chatOptions) validateDetach() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Raw || o.Extract != "" || o.Copy || o.Usage:
		return failure.Usagef("leave it out; hobnob wait shows the answer", "--raw, --extract, --copy and --usage want an answer, for which --detach does not wait")
	case o.NoSave:
		return failure.Usagef(see, "--detach and --no-save exclude each other: the answer would be lost")
	case o.DryRun:
		return failure.Usagef(see, "--detach and --dry-run exclude each other")
	case o.Interactive || o.talks():
		return failure.Usagef(`ask like this: hobnob chat --detach "how do I …?"`, "--detach is for one question, not for an interactive chat")
	}
	return nil
}

// chatConversation is the conversation that the flags of chat continue.
func (c complete) chatConversation(cmd *cobra.Command, _ []string) string {
	if named := cmd.Flag("conversation").Value.String(); named != "" || cmd.Flags().Changed("continue") {
		return named
	}
	return c.f.Env("HOBNOB_CONVERSATION")
}
