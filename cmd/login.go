package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/login"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type loginOptions struct {
	f *cli.Factory

	login.Options
}

func newLoginCommand(f *cli.Factory) *cobra.Command {
	opts := loginOptions{f: f}
	cmd := &cobra.Command{
		Use:         "login",
		Annotations: map[string]string{createsConfig: ""},
		Short:       "Connect a service: its address and your token",
		Long: `Connect a service: store its address in a profile and your token in the
system's keyring. On a terminal login asks for what is missing, step by step: the
address, the token, which is not shown, and for a new profile an agent and its
alias. Each answer is checked when it is given. Nothing is stored before the
service accepted the token and the last question is answered.

Without -p the selected profile is used, and a profile called "default" when
there is none. Where there is no keyring, --insecure-storage keeps the token in
a file that only you can read.`,
		Example: `  hobnob login
  hobnob login -p work --base-url https://chat.example.com
  hobnob login --base-url https://chat.example.com --with-token < token.txt`,
		GroupID: groupConnect,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Agent != "" && !config.IsUUID(opts.Agent) {
				return failure.WithHint(failure.Usagef("", "--agent %q is not a UUID", opts.Agent), "an alias is given with --alias, or afterwards: %s", failure.Run("hobnob agents add NAME UUID"))
			}
			if cmd.Flags().Changed("alias") {
				opts.Alias = strings.ToLower(opts.Alias)
				if err := config.CheckName(opts.Alias); err != nil {
					return failure.Usagef("choose another alias", "--alias: %v", err)
				}
			}
			return runLogin(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Agent, "agent", "", "agent to ask by default, a `UUID`")
	cmd.Flags().StringVar(&opts.Alias, "alias", "", "`NAME` to give that agent")
	cmd.Flags().BoolVar(&opts.WithToken, "with-token", false, "read the token from standard input, and ask nothing that is optional")
	cmd.Flags().BoolVar(&opts.InsecureStorage, "insecure-storage", false, "keep the token in a file of mode 0600 instead of the keyring")
	return cmd
}

func runLogin(ctx context.Context, opts loginOptions) error {
	stored, err := login.Run(ctx, opts.f, opts.Options)
	if err != nil {
		return err
	}
	f, profile := opts.f, stored.Profile
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{
			"profile": profile.Name, "base_url": profile.BaseURL, "token_source": string(stored.Source),
			"agent_id": cli.OrNull(stored.Agent), "alias": cli.OrNull(stored.Alias),
		})
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	place := "the keyring"
	if stored.Source == credential.SourceFile {
		place = stored.File
	}
	flag := ""
	if !stored.Selected {
		flag = " -p " + shell.Word(profile.Name)
	}
	agent, try := "", "hobnob chat"+flag
	_, missing := profile.AgentID(profile.Agent)
	switch {
	case stored.Alias != "":
		agent = fmt.Sprintf("It asks the agent %s (%s).\n", stored.Alias, stored.Agent)
		try += " -a " + stored.Alias
	case stored.Agent != "":
		agent = fmt.Sprintf("It asks the agent %s.\n", stored.Agent)
	case missing != nil:
		// HOBNOB_AGENT or the file names it, and every question would fail.
		name := terminal.CleanLine(profile.Agent)
		agent = fmt.Sprintf("It asks the agent %s, which has no UUID yet; give it one: hobnob agents add %s UUID%s\n", name, shell.Word(name), flag)
	}
	return f.Print.Printf("Logged in to %s as profile %q; the token is in %s.\n%sThe settings are in %s.\nTry: %s \"hello\"\n",
		terminal.CleanLine(profile.BaseURL), profile.Name, terminal.CleanLine(place), agent, terminal.CleanLine(c.Path()), try)
}
