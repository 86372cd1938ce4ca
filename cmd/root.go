package cmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// The groups of the help page.
const (
	groupAsk     = "ask"
	groupConnect = "connect"
	groupMore    = "more"
)

// freeText marks the commands whose arguments are any text, which may look like a flag.
const freeText = "free-text"

// newRoot returns hobnob itself, without its commands.
func newRoot(f *cli.Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   "hobnob",
		Short: "Talk to the agents of an Agent Chat Service",
		Long: `hobnob sends a prompt to an agent, shows the answer, and remembers the
conversation, because the service does not.

With no configuration at all the built-in guide answers, offline: ask it how to
do things with hobnob.`,
		Example: `  hobnob chat "how do I pipe a file into a chat?"
  hobnob chat -c "and in PowerShell?"
  git diff --staged | hobnob chat -t commit
  hobnob login`,
		Version:           cli.Version(),
		Args:              groupArgs,
		RunE:              showHelp,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return begin(f, cmd) },
	}
	root.SetVersionTemplate("hobnob {{.Version}}\n")
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetIn(f.IO.In)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		hint := "see: " + cmd.CommandPath() + " --help"
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if _, takesText := cmd.Annotations[freeText]; takesText {
				hint = "if it belongs to the text, put -- before the text: " + cmd.CommandPath() + " -- …; " + hint
			}
			if extract := cmd.Flags().Lookup("extract"); extract != nil && extract.Changed {
				hint = "a language follows --extract= or -x=, as in -x=go"
			}
		}
		return failure.Usagef(hint, "%s", flagMessage(err))
	})
	root.AddGroup(
		&cobra.Group{ID: groupAsk, Title: "Ask:"},
		&cobra.Group{ID: groupConnect, Title: "Connect:"},
		&cobra.Group{ID: groupMore, Title: "More:"},
	)
	root.SetHelpCommand(newHelpCommand())
	registerGlobal(&f.Global, root.PersistentFlags())
	_ = root.RegisterFlagCompletionFunc("profile", complete{f}.profiles)
	return root
}

// flagMessage says what is wrong with a flag without the names of Go functions.
func flagMessage(err error) string {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		want := "a value"
		switch bad.GetFlag().Value.Type() {
		case "int":
			want = "a whole number"
		case "bool":
			want = "true or false"
		}
		return fmt.Sprintf("--%s cannot be %q; want %s", bad.GetFlag().Name, bad.GetValue(), want)
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

// registerGlobal declares the flags that every command understands.
func registerGlobal(g *cli.Global, flags *pflag.FlagSet) {
	flags.StringVarP(&g.Profile, "profile", "p", "", "use the `name`d profile")
	flags.StringVar(&g.BaseURL, "base-url", "", "`address` of the service, without /api/v1")
	flags.StringVar(&g.Config, "config", "", "use this configuration `file`")
	flags.BoolVar(&g.JSON, "json", g.JSON, "print JSON, errors too")
	flags.Lookup("json").DefValue = "false"
	flags.BoolVarP(&g.Quiet, "quiet", "q", false, "no notes and no spinner on stderr")
	flags.BoolVarP(&g.Verbose, "verbose", "v", false, "show requests on stderr, secrets masked")
	flags.BoolVar(&g.NoColor, "no-color", false, "no colour")
	flags.StringVar(&g.Timeout, "timeout", "", "longest `time` for one attempt, like 90s (default 5m)")
}

// groupArgs is for commands that only hold others: an argument is a command
// that does not exist.
func groupArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	hint := "see: " + cmd.CommandPath() + " --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean: " + cmd.CommandPath() + " " + near[0]
	}
	if cmd.HasParent() {
		return failure.Usagef(hint, "%s has no command %q", cmd.CommandPath(), args[0])
	}
	if strings.ContainsAny(args[0], " ?") {
		hint = "to ask a question: hobnob chat " + fmt.Sprintf("%q", args[0])
	}
	return failure.Usagef(hint, "there is no command %q", args[0])
}

// newHelpCommand is cobra's, but a command that does not exist is an error.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND…]",
		Short:   "Help about a command or a topic",
		GroupID: groupMore,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return failure.Usagef("see: hobnob --help", "there is no command or topic %q", strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: completeCommands,
	}
}

// completeCommands completes the path of a command or a topic.
func completeCommands(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	found, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, c := range found.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// argsOfUse checks arguments by the usage line of their command: NAME is required,
// [NAME] may be left out, NAME… is one or more. None but a VALUE may be empty: an
// unset variable of a script leaves an empty argument, which must not mean what no
// argument means.
func argsOfUse(cmd *cobra.Command, args []string) error {
	usage := "usage: " + cmd.UseLine()
	words := strings.Fields(cmd.Use)[1:]
	if flags := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") }); flags >= 0 {
		words = words[:flags]
	}
	for i, word := range words {
		inner, optional := strings.CutPrefix(word, "[")
		name, many := strings.CutSuffix(strings.TrimSuffix(inner, "]"), "…")
		if many && optional {
			return nil
		}
		if !optional {
			name, _, _ = strings.Cut(name, "|")
		}
		given := args[min(i, len(args)):]
		if !many {
			given = given[:min(1, len(given))]
		}
		switch {
		case len(given) == 0 && !optional:
			return failure.Usagef(usage, "%s is missing", name)
		case slices.Contains(given, "") && name != "VALUE":
			return emptyArg(cmd, name)
		case many:
			return nil
		}
	}
	if len(args) > len(words) {
		return failure.Usagef(usage, "%q is too much", args[len(words)])
	}
	return nil
}

func emptyArg(cmd *cobra.Command, name string) error {
	return failure.Usagef("usage: "+cmd.UseLine(), "%s is empty", name)
}

// newGroup returns a command that only holds others.
func newGroup(command cobra.Command, children ...*cobra.Command) *cobra.Command {
	command.Args, command.RunE = groupArgs, showHelp
	command.AddCommand(children...)
	return &command
}

// createsConfig marks the commands for which the file of --config need not exist.
const createsConfig = "creates-config"

// begin is called when the command line is parsed and before a command runs.
func begin(f *cli.Factory, cmd *cobra.Command) error {
	f.Settings = settingFlags(cmd)
	if _, creates := cmd.Annotations[createsConfig]; f.Global.Config != "" && !creates {
		if _, err := os.Stat(f.Global.Config); err != nil {
			return failure.Usagef("a new one is made by hobnob login or hobnob config set", "--config: %v", err)
		}
	}
	if f.Global.NoColor {
		f.IO.DisableColor()
	}
	return nil
}

// settingFlags returns the settings that flags of the command line give.
func settingFlags(cmd *cobra.Command) map[string]string {
	given := map[string]string{}
	for _, setting := range config.Settings() {
		if flag := cmd.Flags().Lookup(setting.Flag); setting.Flag != "" && flag != nil && flag.Changed {
			given[setting.Key] = flag.Value.String()
		}
	}
	return given
}
