package cmd

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/jq"
	"github.com/hobnob-cli/hobnob/internal/prompt"
	"github.com/hobnob-cli/hobnob/internal/schema"
)

// The groups of the help page.
const (
	groupAsk     = "ask"
	groupConnect = "connect"
	groupMore    = "more"
)

// freeText is the annotation of commands whose arguments are free text, which may
// look like a flag.
const freeText = "free-text"

// newRoot returns the command hobnob without its subcommands.
func newRoot(f *cli.Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   "hobnob",
		Short: "Talk to the agents of an Agent Chat Service",
		Long: `hobnob sends a prompt to an agent, prints the answer and saves the conversation,
because the service does not.

Without any configuration, the built-in guide answers offline. Ask it how to use
hobnob.`,
		Example: `  hobnob chat "how do I pipe a file into a chat?"
  hobnob chat -c "and in PowerShell?"
  git diff --staged | hobnob chat -t commit
  hobnob login`,
		Version:           cli.Version(),
		Args:              groupArgs,
		Annotations:       map[string]string{printsText: ""},
		RunE:              showHelp,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return begin(f, cmd) },
	}
	root.SetVersionTemplate("hobnob {{.Version}}\n")
	root.SetErr(f.IO.Err)
	root.SetIn(f.IO.In)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), helpText(cmd, helpWidth(f.IO))) })
	root.AddGroup(
		&cobra.Group{ID: groupAsk, Title: "Ask"},
		&cobra.Group{ID: groupConnect, Title: "Connect"},
		&cobra.Group{ID: groupMore, Title: "More"},
	)
	root.SetHelpCommand(newHelpCommand())
	registerGlobal(&f.Global, root.PersistentFlags())
	_ = root.RegisterFlagCompletionFunc("profile", complete{f}.profiles)
	return root
}

// registerGlobal defines the flags of all commands.
func registerGlobal(g *cli.Global, flags *pflag.FlagSet) {
	flags.StringVarP(&g.Profile, "profile", "p", "", "use the `name`d profile")
	flags.StringVar(&g.BaseURL, "base-url", "", "`address` of the service, without /api/v1")
	flags.StringVar(&g.Config, "config", "", "configuration `file`")
	flags.BoolVar(&g.JSON, "json", g.JSON, "print JSON, including errors")
	flags.Lookup("json").DefValue = "false"
	flags.StringVar(&g.JQ, "jq", "", "filter the JSON output with a jq `expression`; implies --json")
	flags.BoolVarP(&g.Quiet, "quiet", "q", false, "suppress notes and the spinner")
	flags.BoolVarP(&g.Verbose, "verbose", "v", false, "print requests to stderr, with secrets masked")
	flags.BoolVar(&g.NoColor, "no-color", false, "disable colour")
	flags.StringVar(&g.Timeout, "timeout", "", "`time` limit of one attempt, such as 90s (default 5m)")
	flags.StringVar(&g.Record, "record", "", "append all requests and answers to this `file`, without the token")
	flags.StringVar(&g.Replay, "replay", "", "answer all requests from this recorded `file`, without a network")
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// argsOfUse checks the arguments of a command against its usage line: NAME is
// required, [NAME] is optional, also before a NAME, and NAME… is one or more. Only a
// VALUE may be empty: an unset variable in a script becomes an empty argument, which
// must not have the effect of no argument.
func argsOfUse(cmd *cobra.Command, args []string) error {
	usage := "usage: " + cmd.UseLine()
	words := strings.Fields(cmd.Use)[1:]
	if flags := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") }); flags >= 0 {
		words = words[:flags]
	}
	for len(args) < len(words) && strings.HasPrefix(words[0], "[") && !strings.HasPrefix(words[len(words)-1], "[") {
		words = words[1:]
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
	switch {
	case len(args) <= len(words):
	case len(words) == 0: // the argument is not printed, because it may be a token
		return failure.Usagef(usage, "%s takes no arguments", cmd.CommandPath())
	default:
		return failure.Usagef(usage, "unexpected argument %q", args[len(words)])
	}
	return nil
}

func emptyArg(cmd *cobra.Command, name string) error {
	return failure.Usagef("usage: "+cmd.UseLine(), "%s is empty", name)
}

// newGroup returns a command that only has subcommands.
func newGroup(command cobra.Command, children ...*cobra.Command) *cobra.Command {
	command.Args, command.RunE, command.Annotations = groupArgs, showHelp, map[string]string{printsText: ""}
	command.AddCommand(children...)
	return &command
}

// createsConfig is the annotation of commands that create the file of --config.
const createsConfig = "creates-config"

// printsText is the annotation of commands that print no JSON.
const printsText = "prints-text"

// begin prepares the factory after the command line is parsed and before a command
// runs.
func begin(f *cli.Factory, cmd *cobra.Command) error {
	if cmd.Flags().Changed("jq") {
		if err := filterJSON(f, cmd); err != nil {
			return err
		}
	}
	f.Settings = settingFlags(cmd)
	if _, creates := cmd.Annotations[createsConfig]; f.Global.Config != "" && !creates {
		if _, err := os.Stat(f.Global.Config); err != nil {
			return failure.Usagef("to create one: hobnob login or hobnob config set", "cannot read %s: %v", f.Global.Config, failure.Reason(err))
		}
	}
	if f.Global.NoColor {
		f.IO.DisableColor()
	}
	return findRecording(f, cmd)
}

// findRecording sets the files of --record and --replay, or of their variables.
func findRecording(f *cli.Factory, cmd *cobra.Command) error {
	if err := checkEmpty(cmd, "record", "replay"); err != nil {
		return err
	}
	f.Global.Record = cmp.Or(f.Global.Record, f.Env("HOBNOB_RECORD"))
	f.Global.Replay = cmp.Or(f.Global.Replay, f.Env("HOBNOB_REPLAY"))
	if f.Global.Record != "" && f.Global.Replay != "" {
		return failure.Usagef("see: hobnob help environment", "--record and --replay (HOBNOB_RECORD and HOBNOB_REPLAY) cannot be used together")
	}
	if dry := cmd.Flags().Lookup("dry-run"); dry != nil && dry.Value.String() == "true" {
		f.Global.Record = "" // there is nothing to record, so no file is created
	}
	return nil
}

// checkEmpty returns an error if one of the flags is given without a value.
func checkEmpty(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return failure.Usagef("see: "+cmd.CommandPath()+" --help", "--%s is empty", name)
		}
	}
	return nil
}

// filterJSON applies the expression of --jq to all JSON that the command prints.
func filterJSON(f *cli.Factory, cmd *cobra.Command) error {
	f.Global.JSON = true
	if _, text := cmd.Annotations[printsText]; text {
		return failure.Usagef("omit --jq", "%s prints no JSON for --jq", cmd.CommandPath())
	}
	query, err := jq.Compile(f.Global.JQ)
	if err != nil {
		return err
	}
	f.Print.Filter = func(document []byte) iter.Seq2[any, error] { return query.Results(cmd.Context(), document) }
	return nil
}

// settingFlags returns the values of settings from flags on the command line, by key. Of
// a repeatable flag it is the first value.
func settingFlags(cmd *cobra.Command) map[string]string {
	given := map[string]string{}
	for _, setting := range config.Settings() {
		if flag := cmd.Flags().Lookup(setting.Flag); setting.Flag != "" && flag != nil && flag.Changed {
			given[setting.Key] = flag.Value.String()
			if values, ok := flag.Value.(pflag.SliceValue); ok {
				given[setting.Key] = values.GetSlice()[0]
			}
		}
	}
	return given
}

// addInstructionFlags adds --instructions and --no-instructions to a command. Load
// returns "" for no instructions, and nil if neither is given.
func addInstructionFlags(cmd *cobra.Command, f *cli.Factory, help string) (load func() (*string, error)) {
	flags := cmd.Flags()
	given := flags.String("instructions", "", help+": a `text`, or the name of a text file")
	none := flags.Bool("no-instructions", false, "use no standing instructions")
	return func() (*string, error) {
		switch changed := flags.Changed("instructions"); {
		case changed && *none:
			return nil, failure.Usagef("see: "+cmd.CommandPath()+" --help", "--instructions and --no-instructions cannot be used together")
		case changed && *given == "":
			return nil, failure.Usagef("for none: --no-instructions", "--instructions is empty")
		case changed:
			text, err := prompt.Instructions(f.Print, *given)
			return &text, err
		case *none:
			return new(string), nil
		}
		return nil, nil
	}
}

// addSchemaFlags adds --schema and --schema-retries to a command. Load returns nil if
// they are not given.
func addSchemaFlags(cmd *cobra.Command) (load func() (*schema.Contract, error)) {
	flags := cmd.Flags()
	path := flags.String("schema", "", "ask for JSON that fits the JSON Schema in this `file`, and check the reply")
	retries := flags.Int("schema-retries", schema.DefaultRetries, "maximum `number` of corrections of a reply that does not fit, up to 10")
	_ = cmd.MarkFlagFilename("schema", "json")
	return func() (*schema.Contract, error) {
		switch {
		case flags.Changed("schema"):
			return schema.LoadContract(cmd.Context(), *path, *retries)
		case flags.Changed("schema-retries"):
			return nil, failure.Usagef("for example: --schema answer.schema.json", "--schema-retries needs --schema")
		}
		return nil, nil
	}
}

// pickable adds --pick to a command whose first argument is a conversation. With it, the
// user chooses that conversation from a list, or with deleted from the trash, and the
// command runs as if it had been named. The flags in excluded cannot be used with --pick.
func pickable(f *cli.Factory, cmd *cobra.Command, deleted bool, excluded ...string) *cobra.Command {
	pick := cmd.Flags().Bool("pick", false, "choose the conversation from a list")
	check, run, complete := cmd.Args, cmd.RunE, cmd.ValidArgsFunction
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if *pick {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, typed)
	}
	if check == nil {
		check = argsOfUse
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if !*pick {
			return check(cmd, args)
		}
		for _, name := range excluded {
			if cmd.Flags().Changed(name) {
				return failure.Usagef("see: "+cmd.CommandPath()+" --help", "--%s and --pick cannot be used together", name)
			}
		}
		rest := strings.Fields(cmd.Use)[2:]
		switch {
		case len(args) < len(rest):
			return failure.Usagef("usage: "+cmd.UseLine(), "%s is missing", rest[len(args)])
		case len(args) > len(rest):
			return failure.Usagef("omit one of them", "--pick and %q cannot be used together", args[0])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *pick {
			c, err := cli.PickConversation(cmd.Context(), f, deleted)
			if err != nil {
				return err
			}
			args = append([]string{c.ID}, args...)
		}
		return run(cmd, args)
	}
	return cmd
}

// picked is the value of chat --conversation without a value: the user chooses from a
// list. It cannot be an argument of a process.
const picked = "\x00"

// pickArgs adds this value to -C or --conversation of chat if it is the last argument or
// a flag follows. Cobra knows only flags that never take the next argument as their value,
// like -x, and flags that always do.
func pickArgs(root *cobra.Command, args []string) []string {
	command, _, err := root.Find(args)
	if err != nil || command.Name() != "chat" {
		return args
	}
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		flag := takesNext(command, args[i])
		last := i+1 == len(args)
		switch {
		case flag == nil:
		case flag.Name != "conversation" || !last && (len(args[i+1]) < 2 || args[i+1][0] != '-'):
			i++
		default:
			args = slices.Clone(args)
			if strings.HasPrefix(args[i], "--") {
				args[i] += "="
			}
			args[i] += picked
			return args
		}
	}
	return args
}

// takesNext returns the flag of a command whose value is the argument after arg, or nil.
func takesNext(cmd *cobra.Command, arg string) *pflag.Flag {
	if strings.HasPrefix(arg, "--") {
		if flag := flagOf(cmd, arg); flag != nil && flag.NoOptDefVal == "" {
			return flag
		}
		return nil
	}
	letters, short := strings.CutPrefix(arg, "-")
	for i := 0; short && i < len(letters); i++ {
		flag := flagOf(cmd, "-"+letters[i:i+1])
		switch {
		case flag == nil:
			return nil
		case flag.NoOptDefVal == "" && i+1 == len(letters):
			return flag
		case flag.NoOptDefVal == "" || strings.HasPrefix(letters[i+1:], "="): // the rest is its value
			return nil
		}
	}
	return nil
}

// flagOf returns the flag of a command that is named by --name or -n, or nil.
func flagOf(cmd *cobra.Command, arg string) *pflag.Flag {
	if name, long := strings.CutPrefix(arg, "--"); long {
		return cmd.Flag(name)
	}
	if len(arg) != 2 || arg[0] != '-' {
		return nil
	}
	return cmp.Or(cmd.Flags().ShorthandLookup(arg[1:]), cmd.InheritedFlags().ShorthandLookup(arg[1:]))
}
