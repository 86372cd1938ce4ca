package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/prompt"
	"github.com/hobnob-cli/hobnob/internal/repl"
	"github.com/hobnob-cli/hobnob/internal/schema"
	"github.com/hobnob-cli/hobnob/internal/secrets"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

type chatOptions struct {
	f *cli.Factory

	ask.Setup
	Sources      prompt.Sources
	Agents       []string
	Columns      bool
	Interactive  bool
	AllowSecrets bool
	History      int
	NoSave       bool
	Extract      string // a language, anyLanguage or nothing
	Detach       bool
}

// anyLanguage is the value of --extract without a language.
const anyLanguage = "any"

func newChatCommand(f *cli.Factory) *cobra.Command {
	opts := chatOptions{f: f}
	opts.Paged = true
	var loadSchema func() (*schema.Contract, error)
	var loadInstructions func() (*string, error)
	cmd := &cobra.Command{
		Use:     "chat [PROMPT…]",
		Aliases: []string{"ask"},
		Short:   "Ask an agent, once or in a conversation",
		Long: `Send a prompt to an agent and print its reply.

The prompt consists of the arguments, then each file as a named block, then
standard input if it is a pipe or a file. Without any of these, on a terminal,
hobnob starts an interactive chat; /help lists its commands. A prompt that seems
to contain a secret, such as a private key, is sent only if you confirm it.

With several -a, all agents are asked at the same time, each in a new conversation.

Every question is saved to the history before it is sent, and every reply before
it is shown. On a terminal the reply is rendered; in a pipe it is printed byte
for byte. See also: hobnob help exit-codes.`,
		Example: `  hobnob chat "how do I undo the last commit?"
  hobnob chat -c "and keep the changes?"
  hobnob chat -C
  hobnob chat --again
  hobnob chat -f main.go -f main_test.go "review these"
  hobnob chat -f src -f https://go.dev/doc/comment "check the doc comments"
  hobnob chat --instructions "Answer in one sentence." "what is a mutex?"
  git diff --staged | hobnob chat -t commit
  tail -50 error.log | hobnob chat "what went wrong?"
  hobnob chat -a guide -a echo "what is a profile?"
  hobnob chat -x=sh "find the ten largest files" > largest.sh
  hobnob chat --json "name three rivers" | jq -r .reply
  hobnob chat --schema city.schema.json "name the capital of Peru" | jq -r .city`,
		GroupID:     groupAsk,
		Annotations: map[string]string{freeText: "", exitCodes: questionExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Sources.Words = args
			if len(opts.Agents) > 0 {
				opts.Agent = opts.Agents[0]
			}
			if cmd.Flags().Changed("history") {
				opts.Limits = &chat.Limits{None: opts.History == 0, Turns: opts.History}
			}
			if !cmd.Flags().Changed("conversation") && !opts.Latest && opts.Title == "" && opts.At == "" && opts.EditTurn == "" {
				opts.Conversation = f.Env("HOBNOB_CONVERSATION")
				if len(opts.Agents) > 1 && opts.Conversation != "" {
					return failure.Usagef("unset it: each agent starts a new conversation", "HOBNOB_CONVERSATION and several agents cannot be used together")
				}
			}
			for _, name := range []string{"at", "edit-turn"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return failure.WithHint(failure.Usagef("", "--%s is empty", name), "to list the turns: %s", failure.Run("hobnob conversations tree"))
				}
			}
			if cmd.Flags().Changed("template") && opts.Sources.Template == "" {
				return failure.Usagef("to list the templates: hobnob templates list", "--template is empty")
			}
			var err error
			if opts.Contract, err = loadSchema(); err != nil {
				return err
			}
			if cmd.Flags().Changed("extract") && opts.Extract == "" {
				opts.Extract = anyLanguage
			}
			if opts.Instructions, err = loadInstructions(); err != nil {
				return err
			}
			if err := opts.validate(); err != nil {
				return err
			}
			if err := attachWords(cmd, f, &opts.Sources); err != nil {
				return err
			}
			opts.Block = blockOf(opts.Extract)
			if language := languageAfterExtract(f.Args, args); opts.Extract == anyLanguage && language != "" {
				f.Print.Note("%q is part of the question, not the language of -x; to extract that language: -x=%s", language, language)
			}
			if opts.Conversation == picked {
				c, err := cli.PickConversation(cmd.Context(), f, false)
				if err != nil {
					return err
				}
				opts.Conversation = c.ID
			}
			return runChat(cmd.Context(), opts)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&opts.Agents, "agent", "a", nil, "ask this agent: an alias `name` or a UUID; repeat to ask several at once")
	flags.BoolVar(&opts.Columns, "columns", false, "print the replies of several agents side by side if the terminal is wide enough")
	flags.BoolVarP(&opts.Latest, "continue", "c", false, "continue the latest conversation of the profile that has an answer")
	flags.StringVarP(&opts.Conversation, "conversation", "C", "", "continue this conversation: an `id`, its first characters, or a title; without a value, choose from a list")
	flags.StringVar(&opts.At, "at", "", "continue from this earlier `turn`, creating a branch")
	flags.BoolVar(&opts.Again, "again", false, "ask the last question of the conversation again, for an alternative answer")
	flags.StringVar(&opts.EditTurn, "edit-turn", "", "edit the question of this `turn` and ask it as an alternative to the old one")
	flags.StringArrayVarP(&opts.Sources.Files, "file", "f", nil, "attach this `file`, directory, URL, or pattern such as '*.go'; - is standard input (repeatable)")
	flags.BoolVar(&opts.Sources.PrivateURLs, "allow-private-urls", false, "let -f fetch URLs from loopback and private addresses")
	flags.StringVarP(&opts.Sources.Template, "template", "t", "", "use the template with this `name`; see hobnob templates list")
	flags.StringArrayVar(&opts.Sources.Variables, "var", nil, "set a variable of the template: `name=value` (repeatable)")
	flags.BoolVarP(&opts.Sources.Edit, "edit", "e", false, "write the prompt in $VISUAL or $EDITOR")
	flags.BoolVarP(&opts.Interactive, "interactive", "i", false, "continue in an interactive chat")
	flags.StringVar(&opts.Title, "title", "", "`title` of the new conversation")
	flags.IntVar(&opts.History, "history", 0, "send at most this `number` of earlier turns; 0 sends none (default all)")
	flags.BoolVar(&opts.NoSave, "no-save", false, "save nothing on this machine")
	flags.BoolVarP(&opts.Raw, "raw", "r", false, "do not render the reply")
	flags.StringVarP(&opts.Extract, "extract", "x", "", "print only the first code block, or the first in a `language`: -x, -x=go")
	flags.Lookup("extract").NoOptDefVal = anyLanguage
	flags.BoolVar(&opts.Copy, "copy", false, "also copy the reply or the extracted block to the clipboard")
	flags.BoolVar(&opts.Usage, "usage", false, "print the token usage on stderr")
	flags.BoolVar(&opts.Detach, "detach", false, "ask in the background and print the turn; hobnob wait prints the answer")
	flags.BoolVar(&opts.AllowSecrets, "allow-secrets", false, "send the question even if it seems to contain a secret")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "print the request and send nothing")
	loadSchema = addSchemaFlags(cmd)
	loadInstructions = addInstructionFlags(cmd, f, "standing instructions of the conversation")
	flags.BoolVar(&opts.UpdateInstructions, "update-instructions", false, "switch the conversation to the current instructions of its agent")
	flags.Int("retries", 2, "number of retries of a request that the service did not accept, up to 10")
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
	profile, err := f.ProjectProfile()
	if err != nil {
		return err
	}
	opts.Save = profile.Save && !opts.NoSave
	if opts.Detach && !opts.Save {
		return failure.WithHint(failure.Usagef("", "--detach needs the history, but history.save is false in profile %q", profile.Name),
			"enable it with %s, or omit --detach", failure.Run("hobnob config set history.save true"))
	}
	given := opts.Title
	if opts.IsNew() && given == "" && opts.Sources.Template != "" {
		opts.Title = prompt.TemplateTitle(opts.Sources.Template, slices.Concat(opts.Sources.Words, opts.Sources.Files))
	}
	if len(opts.Agents) > 1 {
		return runPanel(ctx, opts, profile)
	}
	asker, question, err := ask.Prepare(ctx, f, profile, opts.Setup)
	if err != nil {
		return opts.explainConversation(err)
	}
	if given != "" {
		cli.NoteSameTitle(ctx, f, asker.Chat.History, given, "")
	}
	guard := opts.guard(profile)
	turns, err := asker.Chat.Unshared(ctx, question)
	if err == nil {
		err = prompt.CheckTurns(ctx, guard, turns)
	}
	if err != nil {
		return err
	}
	if opts.startsChat() {
		return repl.Run(ctx, f, asker, guard, question, opts.Again)
	}
	if opts.Sources.Budget, err = asker.FileBudget(ctx, question); err != nil {
		return err
	}
	check := guard
	if c := question.Conversation; opts.Again && c != nil && c.Profile == profile.Name {
		check = secrets.Guard{} // the service has the question
	}
	asked, err := opts.assemble(ctx, check, question.Text, question.Instructions)
	if err != nil {
		return cli.FinishDraft(asked.Draft, false, err)
	}
	question.Text = asked.Text
	if question.Conversation != nil && question.Parent == nil {
		// The conversation may have changed while the prompt was read or edited.
		if *question.Conversation, err = asker.Chat.History.Find(ctx, question.Conversation.ID); err != nil {
			return cli.FinishDraft(asked.Draft, false, err)
		}
	}
	var recorded bool
	switch {
	case opts.DryRun:
		err = asker.ShowRequest(ctx, question, asked.Found)
	case opts.Interactive:
		err = repl.Run(ctx, f, asker, guard, question, opts.Again)
	case opts.Detach:
		recorded, err = detach(ctx, f, asker, question)
	default:
		var answer chat.Answer
		answer, err = asker.Once(ctx, question)
		recorded = answer.Conversation != "" && opts.Save
	}
	return cli.FinishDraft(asked.Draft, recorded, err)
}

// explainConversation adds a hint to the error of a conversation that was not found if its
// name may be the prompt, as in chat -C "a question".
func (o chatOptions) explainConversation(err error) error {
	missing, ok := errors.AsType[*history.NotFoundError](err)
	if !ok || len(missing.Trashed) > 0 || len(o.Sources.Words) > 0 || !strings.Contains(o.Conversation, " ") {
		return err
	}
	return failure.WithHint(err, "%s; if it is the question, put -C last: %s", failure.Of(err).Hint, failure.Run("hobnob chat %s -C", shell.Word(o.Conversation)))
}

// runPanel asks several agents at once.
func runPanel(ctx context.Context, opts chatOptions, profile config.Profile) error {
	panel, err := ask.PreparePanel(ctx, opts.f, profile, opts.Setup, opts.Agents)
	if err != nil {
		return err
	}
	panel.Columns = opts.Columns
	if opts.Sources.Budget, err = panel.FileBudget(ctx); err != nil {
		return err
	}
	asked, err := opts.assemble(ctx, opts.guard(profile), "", panel.Instructions()...)
	if err != nil {
		return cli.FinishDraft(asked.Draft, false, err)
	}
	if opts.DryRun {
		return cli.FinishDraft(asked.Draft, false, panel.ShowRequests(ctx, asked.Text, asked.Found))
	}
	recorded, err := panel.Ask(ctx, asked.Text)
	return cli.FinishDraft(asked.Draft, recorded, err)
}

// blockOf returns the value of ask.Options.Block for a value of --extract.
func blockOf(extract string) *string {
	switch extract {
	case "":
		return nil
	case anyLanguage:
		return new(string)
	}
	return &extract
}

// assemble returns the question: the earlier one, unchanged or edited, or the prompt from
// the command line and standard input. With --schema, it asks for JSON. The text and new
// instructions are checked for secrets.
func (o chatOptions) assemble(ctx context.Context, guard secrets.Guard, earlier string, instructions ...*history.Instructions) (asked prompt.Assembled, err error) {
	switch {
	case o.Again:
		asked.Text = earlier
	case o.EditTurn != "":
		asked.Text, asked.Draft, err = prompt.EditQuestion(ctx, o.f, earlier)
	default:
		o.Sources.Begins = o.IsNew()
		asked, err = o.Sources.Assemble(ctx, o.f)
	}
	if err == nil {
		err = asked.Check(ctx, guard, instructions...)
	}
	if err == nil && o.Contract != nil {
		asked.Text = o.Contract.Instruct(asked.Text)
	}
	return asked, err
}

// guard returns the guard of the questions.
func (o chatOptions) guard(profile config.Profile) secrets.Guard {
	guard := secrets.NewGuard(o.f, profile, o.AllowSecrets)
	if o.DryRun {
		return guard.WithoutToken().OnlyWarn()
	}
	return guard
}

// startsChat reports whether the command line has no prompt and starts an interactive
// chat on the terminal.
func (o chatOptions) startsChat() bool {
	return len(o.Sources.Words) == 0 && len(o.Sources.Files) == 0 && o.Sources.Template == "" && !o.Sources.Edit && !o.Again && o.EditTurn == "" && !o.DryRun && !o.f.Global.JSON && o.f.IO.InTTY
}

// validate returns an error if flags are invalid or cannot be used together.
func (o chatOptions) validate() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Latest && o.Conversation != "":
		return failure.Usagef(see, "--continue and --conversation cannot be used together")
	case o.Title != "" && (o.Latest || o.Conversation != ""):
		return failure.Usagef(see, "--title cannot be used with --continue or --conversation: it is for a new conversation")
	case o.Title != "" && o.NoSave:
		return failure.Usagef(see, "--title and --no-save cannot be used together: an unsaved conversation has no title")
	case o.Title != "" && strings.TrimSpace(o.Title) == "":
		return failure.Usagef("omit --title to use the beginning of the question", "--title is empty")
	case o.branches() > 1:
		return failure.Usagef(see, "--at, --again and --edit-turn cannot be used together")
	case o.UpdateInstructions && o.IsNew():
		return failure.Usagef("omit it: a new conversation has the current instructions", "--update-instructions needs a conversation to continue")
	case o.UpdateInstructions && o.Instructions != nil:
		return failure.Usagef(see, "--update-instructions cannot be used with --instructions or --no-instructions")
	case o.Title != "" && o.branches() > 0:
		return failure.Usagef(see, "--title cannot be used with --at, --again or --edit-turn: it is for a new conversation")
	case o.Again && (len(o.Sources.Words) > 0 || len(o.Sources.Files) > 0 || o.Sources.Edit):
		return failure.Usagef("omit the prompt, or use --edit-turn to change the question", "--again repeats the last question and takes no prompt")
	case o.EditTurn != "" && (len(o.Sources.Words) > 0 || len(o.Sources.Files) > 0 || o.Sources.Edit):
		return failure.Usagef("omit the prompt", "--edit-turn opens the question in the editor and takes no prompt")
	case o.Sources.PrivateURLs && len(o.Sources.Files) == 0:
		return failure.Usagef("pass the URL with -f; with -i, a chat follows", "--allow-private-urls needs --file")
	case len(o.Sources.Variables) > 0 && o.Sources.Template == "":
		return failure.Usagef("to list the templates: hobnob templates list", "--var needs --template")
	case o.Sources.Template != "" && (o.Again || o.EditTurn != ""):
		return failure.Usagef(see, "--template cannot be used with --again or --edit-turn")
	case o.History < 0:
		return failure.Usagef(see, "invalid value \"%d\" for --history: must be at least 0", o.History)
	case o.Extract != "" && o.f.Global.JSON:
		return failure.Usagef("omit --json and --jq, or extract the block from the field reply", "--extract cannot be used with --json or --jq")
	case (o.Extract != "" || o.Copy) && o.DryRun:
		return failure.Usagef(see, "--extract and --copy cannot be used with --dry-run: there is no reply")
	case (o.Extract != "" || o.Copy) && (o.Interactive || o.startsChat()):
		return failure.Usagef("ask on the command line, or use /copy in the chat", "--extract and --copy cannot be used in an interactive chat")
	case o.Contract != nil && o.Extract != "":
		return failure.Usagef("omit --extract; --schema prints only the JSON", "--schema and --extract cannot be used together")
	case o.Contract != nil && (o.Interactive || o.startsChat()):
		return failure.Usagef("ask on the command line", "--schema cannot be used in an interactive chat")
	case o.Interactive && (o.f.Global.JSON || o.DryRun):
		return failure.Usagef(see, "--interactive cannot be used with --json, --jq or --dry-run")
	case o.Interactive && !o.f.IO.InTTY:
		return failure.Usagef("omit --interactive to ask once", "an interactive chat needs a terminal on standard input")
	case len(o.Agents) > 1 || o.Columns:
		return o.validatePanel()
	case o.Detach:
		return o.validateDetach()
	}
	return nil
}

// validatePanel returns an error if a flag cannot be used with several agents.
func (o chatOptions) validatePanel() error {
	const see = "see: hobnob chat --help"
	switch n := len(o.Agents); {
	case n < 2:
		return failure.Usagef(`repeat -a: hobnob chat --columns -a one -a two "…"`, "--columns needs several agents")
	case n > ask.MaxPanel:
		return failure.Usagef(see, "%d agents were given: must be at most %d", n, ask.MaxPanel)
	case slices.Contains(o.Agents, ""):
		return failure.Usagef("to list the agents: hobnob agents list", "--agent is empty")
	case o.Latest || o.Conversation != "" || o.branches() > 0:
		return failure.Usagef("name one agent, or ask a new question", "--continue, --conversation, --at, --again and --edit-turn cannot be used with several agents: each starts a new conversation")
	case o.Extract != "" || o.Copy:
		return failure.Usagef(see, "--extract and --copy cannot be used with several agents")
	case o.Detach:
		return failure.Usagef("use --detach once for each agent", "--detach cannot be used with several agents")
	case o.Interactive || o.startsChat():
		return failure.Usagef(`pass a question: hobnob chat -a one -a two "how do I …?"`, "several agents cannot be used in an interactive chat")
	case o.Columns && o.f.Global.JSON:
		return failure.Usagef(see, "--columns and --json cannot be used together")
	}
	return nil
}

// branches returns the number of given flags that create a branch.
func (o chatOptions) branches() int {
	return len(slices.DeleteFunc([]bool{o.At != "", o.Again, o.EditTurn != ""}, func(given bool) bool { return !given }))
}
