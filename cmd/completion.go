package cmd

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type completionOptions struct {
	f *cli.Factory

	Root  *cobra.Command
	Shell string
	Dir   string
}

// completionFiles are the names by which packagers install the scripts.
var completionFiles = map[string]string{"bash": "hobnob.bash", "zsh": "_hobnob", "fish": "hobnob.fish", "powershell": "hobnob.ps1"}

func newCompletionCommand(f *cli.Factory) *cobra.Command {
	opts := completionOptions{f: f}
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script for a shell",
		Long:  "Print a script that teaches a shell to complete hobnob's commands, flags, profiles,\nagents, conversations, turns and settings. It asks hobnob at each Tab, which looks at\nthis machine alone: no network and no keyring.",
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
  hobnob completion powershell >> $PROFILE`,
		GroupID:   groupMore,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Root = cmd.Root()
			if opts.Dir == "" {
				if err := exactArgs("SHELL")(cmd, args); err != nil {
					return err
				}
				if opts.Shell = args[0]; completionFiles[opts.Shell] == "" {
					return failure.Usagef("shells: bash, zsh, fish, powershell", "there is no completion for %q", opts.Shell)
				}
			}
			return runCompletion(opts)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "write all scripts into this `directory`")
	_ = cmd.Flags().MarkHidden("dir")
	return cmd
}

func runCompletion(opts completionOptions) error {
	if opts.Dir == "" {
		return cli.OutputError(writeCompletion(opts.Root, opts.Shell, opts.f.IO.Out))
	}
	for shell, name := range completionFiles {
		var script bytes.Buffer
		if err := writeCompletion(opts.Root, shell, &script); err != nil {
			return err
		}
		if err := writePublic(filepath.Join(opts.Dir, name), script.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func writeCompletion(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return mended(w, bashMendings, func(w io.Writer) error { return root.GenBashCompletionV2(w, true) })
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return mended(w, fishMendings, func(w io.Writer) error { return root.GenFishCompletion(w, true) })
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return fmt.Errorf("no completion for %q", shell)
}

// complete offers candidates for arguments and flags, from this machine alone.
type complete struct{ f *cli.Factory }

type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeFirst completes the first argument alone.
func firstArgumentOnly(next completer) completer {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return next(cmd, args, word)
	}
}

func (c complete) profiles(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	quietly(c.f, cmd)
	conf, err := c.f.Config()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return conf.Profiles(), cobra.ShellCompDirectiveNoFileComp
}

func (c complete) agents(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	quietly(c.f, cmd)
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

// completeNoFiles keeps shells from offering files to commands without arguments.
func completeNoFiles(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !strings.Contains(cmd.Use, " ") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, child := range cmd.Commands() {
		completeNoFiles(child)
	}
}

// plainUsages takes the quotes, which name a flag's value in its help, from what
// shells show as descriptions of flags.
func plainUsages(cmd *cobra.Command) {
	plain := func(flag *pflag.Flag) { _, flag.Usage = pflag.UnquoteUsage(flag) }
	cmd.LocalFlags().VisitAll(plain)
	for _, child := range cmd.Commands() {
		plainUsages(child)
	}
}

// quietly prepares for completion, which must print nothing but candidates.
func quietly(f *cli.Factory, cmd *cobra.Command) {
	f.Global.Quiet = true
	f.Settings = settingFlags(cmd)
}

// candidate is a word with its description in cobra's form. Nothing in the
// description may end it or mean something to a shell.
func candidate(word, description string) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("`$\\\"'<>|;&(){}[]!*?~#", r) {
			return ' '
		}
		return r
	}, terminal.CleanLine(description))
	return cobra.CompletionWithDesc(word, plain)
}
