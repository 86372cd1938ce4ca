package cmd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type completionOptions struct {
	f *cli.Factory

	Root   *cobra.Command
	Shell  string
	Dir    string
	Widget bool
}

// completionFiles maps shells to the names under which packages install the scripts.
var completionFiles = map[string]string{"bash": "hobnob.bash", "zsh": "_hobnob", "fish": "hobnob.fish", "powershell": "hobnob.ps1"}

func newCompletionCommand(f *cli.Factory) *cobra.Command {
	opts := completionOptions{f: f}
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script or key bindings for a shell",
		Long:  "Print a script that lets a shell complete hobnob's commands, flags, profiles,\nagents, conversations, turns and settings. At each Tab it calls hobnob, which uses\nonly local files, not the network or the keyring.\n\nWith --widget, print a script that binds two keys of bash, zsh or fish instead. Alt-i\nreplaces the words on the command line with a command that the agent suggests, and\nAlt-m explains the command on the line. Neither runs anything; undo restores the\nwords. The comments in the script explain how to use other keys, and other flags\nof chat.",
		Example: `  # bash, with the package bash-completion
  mkdir -p ~/.local/share/bash-completion/completions
  hobnob completion bash > ~/.local/share/bash-completion/completions/hobnob
  # bash without it: this line in ~/.bashrc
  eval "$(hobnob completion bash)"
  # zsh, in a directory of $fpath
  mkdir -p ~/.zfunc
  hobnob completion zsh > ~/.zfunc/_hobnob
  # fish
  mkdir -p ~/.config/fish/completions
  hobnob completion fish > ~/.config/fish/completions/hobnob.fish
  # PowerShell
  New-Item -ItemType Directory -Force (Split-Path $PROFILE)
  hobnob completion powershell >> $PROFILE
  # keys that ask the agent: this line in ~/.bashrc or ~/.zshrc
  eval "$(hobnob completion bash --widget)"
  eval "$(hobnob completion zsh --widget)"
  # and this one in ~/.config/fish/config.fish
  hobnob completion fish --widget | source`,
		GroupID:     groupMore,
		Annotations: map[string]string{printsText: ""},
		Args:        cobra.ArbitraryArgs,
		ValidArgs:   []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Root = cmd.Root()
			if opts.Dir != "" {
				return runCompletion(opts)
			}
			usage := "usage: " + cmd.UseLine()
			switch {
			case len(args) == 0:
				return failure.Usagef(usage, "SHELL is missing")
			case args[0] == "":
				return emptyArg(cmd, "SHELL")
			case len(args) > 1:
				return failure.Usagef(usage, "unexpected argument %q", args[1])
			case completionFiles[args[0]] == "":
				return failure.Usagef("shells: bash, zsh, fish, powershell", "unknown shell %q", args[0])
			}
			opts.Shell = args[0]
			if script, ok := shell.Widget(opts.Shell); opts.Widget && ok {
				return f.Print.Printf("%s", script)
			} else if opts.Widget {
				return failure.Usagef("shells: bash, zsh, fish", "--widget is not available for %s", opts.Shell)
			}
			return runCompletion(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.Widget, "widget", false, "print key bindings that ask the agent, for bash, zsh or fish")
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "write all scripts into this `directory`")
	_ = cmd.Flags().MarkHidden("dir")
	return cmd
}

func runCompletion(opts completionOptions) error {
	if opts.Dir == "" {
		script, err := completionScript(opts.Root, opts.Shell)
		if err != nil {
			return err
		}
		return opts.f.Print.Printf("%s", script)
	}
	for name, file := range completionFiles {
		script, err := completionScript(opts.Root, name)
		if err == nil {
			err = writePublic(filepath.Join(opts.Dir, file), script)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func completionScript(root *cobra.Command, name string) (string, error) {
	var script strings.Builder
	patch := func(script string) (string, error) { return script, nil }
	var err error
	switch name {
	case "bash":
		err, patch = root.GenBashCompletionV2(&script, true), shell.PatchBash
	case "zsh":
		err = root.GenZshCompletion(&script)
	case "fish":
		err, patch = root.GenFishCompletion(&script, true), shell.PatchFish
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&script)
	}
	if err != nil {
		return "", err
	}
	return patch(script.String())
}

// maxCandidates is the maximum number of conversations, turns or templates offered.
const maxCandidates = 50

type completer = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// complete returns candidates for arguments and flags, from local files only.
type complete struct{ f *cli.Factory }

// prepare sets up the factory so that nothing but candidates is printed.
func (c complete) prepare(cmd *cobra.Command) {
	c.f.Global.Quiet = true
	c.f.Settings = settingFlags(cmd)
}

// first completes only the first argument.
func (c complete) first(next completer) completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return next(cmd, args, typed)
	}
}

func (c complete) profiles(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	c.prepare(cmd)
	settings, err := c.f.Config()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return settings.Profiles(), cobra.ShellCompDirectiveNoFileComp
}

func (c complete) agents(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	c.prepare(cmd)
	profile, err := c.f.Profile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, name := range profile.AgentNames() {
		if config.CheckName(name) == nil {
			out = append(out, candidate(name, profile.Agents[name]))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (c complete) settings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, s := range config.Settings() {
		out = append(out, candidate(s.Key, s.Help))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// settingThenValue completes the arguments of config set. For a setting that takes a
// file, the shell completes file names.
func (c complete) settingThenValue(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return c.settings(cmd, args, typed)
	}
	setting, ok := config.Lookup(args[0])
	if !ok || len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch setting.Key {
	case config.ProfileKey:
		return c.profiles(cmd, args, typed)
	case "agent":
		return c.agents(cmd, args, typed)
	}
	values := setting.Values
	if _, yes := setting.Default.(bool); yes {
		values = []string{"true", "false"}
	}
	if setting.File {
		return values, cobra.ShellCompDirectiveDefault
	}
	return values, cobra.ShellCompDirectiveNoFileComp
}

// described is a list of ids and their descriptions.
type described [][2]string

// fromHistory completes the ids that list returns from the history.
func (c complete) fromHistory(cmd *cobra.Command, typed string, list func(context.Context, *history.Store) (described, error)) ([]string, cobra.ShellCompDirective) {
	c.prepare(cmd)
	store, err := c.f.ReadHistory(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, err := list(cmd.Context(), store)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return found.candidates(typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (c complete) conversations(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return c.conversationsOf(cmd, typed, false)
}

// deleted completes conversations in the trash.
func (c complete) deleted(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return c.conversationsOf(cmd, typed, true)
}

func (c complete) conversationsOf(cmd *cobra.Command, typed string, deleted bool) ([]string, cobra.ShellCompDirective) {
	return c.fromHistory(cmd, typed, func(ctx context.Context, store *history.Store) (described, error) {
		profile, err := c.f.Profile()
		if err != nil {
			return nil, err
		}
		found, err := store.ConversationsBeginning(ctx, history.Filter{Profile: profile.Name, Deleted: deleted, Limit: maxCandidates}, typed)
		var out described
		for _, conversation := range found {
			out = append(out, [2]string{conversation.ID, conversation.Title})
		}
		return out, err
	})
}

// turns completes turns of the conversation that ref returns from the command line,
// or of the latest one; if answered, only turns with an answer.
func (c complete) turns(ref func(cmd *cobra.Command, args []string) string, answered bool) completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return c.fromHistory(cmd, typed, func(ctx context.Context, store *history.Store) (described, error) {
			conversation, err := c.f.Conversation(ctx, store, ref(cmd, args))
			if err != nil {
				return nil, err
			}
			turns, err := store.TurnsBeginning(ctx, conversation.ID, typed, maxCandidates)
			turns = slices.DeleteFunc(turns, func(t history.Turn) bool { return answered && t.State != history.Answered })
			return describedTurns(turns), err
		})
	}
}

// pending completes pending turns.
func (c complete) pending(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return c.fromHistory(cmd, typed, func(ctx context.Context, store *history.Store) (described, error) {
		profile, err := c.f.Profile()
		if err != nil {
			return nil, err
		}
		pending, err := store.Pending(ctx, profile.Name)
		return describedTurns(pending[:min(len(pending), maxCandidates)]), err
	})
}

// conversationThenTurn completes a conversation and then one of its answered turns.
func (c complete) conversationThenTurn(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return c.conversations(cmd, args, typed)
	case 1:
		return c.turns(firstArgument, true)(cmd, args, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// firstArgument returns the conversation of a command that takes it as an argument.
func firstArgument(_ *cobra.Command, args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func describedTurns(turns []history.Turn) described {
	var out described
	for _, t := range turns {
		out = append(out, [2]string{t.ID, history.TitleOf(t.Question)})
	}
	return out
}

// candidates returns the ids as candidates. Titles and questions may be hostile, and
// cobra's bash script evaluates the words that it completes, so titles and questions
// are only descriptions, and invalid ids, as from a damaged or foreign file, are
// omitted. An id is returned in full if two short ids are equal, because bash would
// insert the common prefix of the candidates with a part of their descriptions, or
// if more than the short id has been typed.
func (d described) candidates(typed string) []string {
	short := map[string]int{}
	for _, one := range d {
		short[history.Short(one[0])]++
	}
	var out []string
	for _, one := range d {
		word := history.Short(one[0])
		if short[word] > 1 || len(typed) > len(word) {
			word = one[0]
		}
		if id, err := uuid.Parse(one[0]); err == nil && id.String() == one[0] {
			out = append(out, candidate(word, one[1]))
		}
	}
	return out
}

// candidate returns a word with its description in cobra's form. Characters that are
// special in a shell are removed from the description.
func candidate(word, description string) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("`$\\\"'<>|;&(){}[]!*?~#", r) {
			return ' '
		}
		return r
	}, terminal.CleanLine(description))
	return cobra.CompletionWithDesc(word, plain)
}

// noFiles disables completion of file names for a command without arguments and for
// flags whose value is neither a file nor a directory.
func noFiles(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !strings.Contains(cmd.Use, " ") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		value, _ := pflag.UnquoteUsage(flag)
		if _, known := cmd.GetFlagCompletionFunc(flag.Name); !known && flag.Value.Type() != "bool" && value != "file" && value != "directory" {
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.NoFileCompletions)
		}
	})
}

// plainUsage removes the quotes around the name of a flag's value from the
// descriptions that shells show.
func plainUsage(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) { _, flag.Usage = pflag.UnquoteUsage(flag) })
}

// chatConversation returns the conversation that the flags of chat continue.
func (c complete) chatConversation(cmd *cobra.Command, _ []string) string {
	if named := cmd.Flag("conversation").Value.String(); named != "" || cmd.Flags().Changed("continue") {
		return named
	}
	return c.f.Env("HOBNOB_CONVERSATION")
}
