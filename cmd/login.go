package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type loginOptions struct {
	f *cli.Factory

	Agent           string
	Alias           string
	WithToken       bool
	InsecureStorage bool
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
		Args:    exactArgs(),
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
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("alias", cobra.NoFileCompletions)
	return cmd
}

// login is one run of the command: what is known so far.
type login struct {
	loginOptions
	config  *config.Config
	profile config.Profile
	// fresh is a profile whose service was not configured before.
	fresh bool
	// reached tells that the service was already probed.
	reached bool
}

// notStoredError says that login ended before anything was stored.
type notStoredError struct{ err error }

func (e *notStoredError) Error() string {
	if errors.Is(e.err, io.EOF) {
		return "login was left; nothing was stored"
	}
	return "nothing was stored: " + e.err.Error()
}
func (e *notStoredError) Unwrap() error { return e.err }

// Failure implements failure.Explainer.
func (e *notStoredError) Failure() failure.Failure {
	f := failure.Of(e.err)
	f.Effect = "nothing was stored"
	return f
}

func runLogin(ctx context.Context, opts loginOptions) error {
	l := &login{loginOptions: opts}
	token, err := l.ask(ctx)
	if err != nil {
		return err
	}
	resolver, key, err := l.f.Tokens(l.profile)
	if err != nil {
		return err
	}
	source, err := resolver.Store(ctx, key, token, l.InsecureStorage)
	var leftover *credential.LeftoverError
	if errors.As(err, &leftover) {
		l.f.Print.Warn("%v", leftover)
	} else if err != nil {
		return err
	}
	if err := l.remember(); err != nil {
		return err
	}
	if resolver.Environment != "" {
		l.f.Print.Note("HOBNOB_TOKEN is set and comes before what was stored")
	} else if len(resolver.Command) > 0 {
		l.f.Print.Note("the profile's token_command comes before what was stored")
	}
	place := "the keyring"
	if source == credential.SourceFile {
		place = resolver.File
	}
	return l.report(source, place)
}

// ask finds everything out, in the order of the questions, and returns the token
// that the service accepted.
func (l *login) ask(ctx context.Context) (token string, err error) {
	if err := l.selectProfile(ctx); err != nil {
		return "", err
	}
	if err := l.checkAlias(l.Alias, l.Agent); err != nil {
		return "", err
	}
	if l.WithToken {
		if token, err = l.readToken(); err == nil {
			_, err = l.verify(ctx, token)
		}
		return token, err
	}
	if err := l.prepare(ctx); err != nil {
		return "", err
	}
	if token, err = l.askToken(ctx); err != nil {
		return "", err
	}
	return token, l.askAgent(ctx)
}

// selectProfile finds the profile to log in to, with its address: the flag's,
// the configured one, or the one typed.
func (l *login) selectProfile(ctx context.Context) error {
	c, err := l.f.Config()
	if err != nil {
		return err
	}
	l.config = c
	name, source, err := c.Active()
	var unknown *config.UnknownProfileError
	switch {
	case errors.As(err, &unknown) && unknown.Source.Kind != "file":
		name = unknown.Name
	case err != nil:
		return err
	case name == config.Local && source.Kind == "flag":
		return failure.Usagef("choose another name: hobnob login -p NAME", "the profile %q is the built-in service and needs no login", config.Local)
	case name == config.Local:
		name = config.Default
	}
	setting, _ := config.Lookup("base_url")
	configured, err := c.FromFile(name, setting)
	l.fresh = err == nil && configured.Value == ""
	l.profile, err = c.Profile(name)
	var missing *config.NoBaseURLError
	if errors.As(err, &missing) {
		return l.askAddress(ctx, name)
	}
	return err
}

// readToken reads the token from standard input.
func (l *login) readToken() (string, error) {
	data, err := io.ReadAll(io.LimitReader(l.f.IO.In, credential.MaxLength+64))
	if err != nil {
		return "", fmt.Errorf("cannot read the token from standard input: %w", err)
	}
	token := credential.Pasted(string(data))
	return token, credential.Validate(token)
}

// checkAlias refuses an alias of another agent, and one without an agent.
func (l *login) checkAlias(alias, agent string) error {
	old, taken := l.profile.Agents[alias]
	switch {
	case alias == "":
		return nil
	case agent == "" && (l.WithToken || !l.asksAgent()):
		return failure.Usagef("add --agent UUID", "--alias %s names no agent", alias)
	case taken && agent != "" && !strings.EqualFold(old, agent):
		return failure.WithHint(failure.Usagef("", "the alias %q is the agent %s already", alias, old), "choose another alias, or see: %s", failure.Run("hobnob agents list"))
	}
	return nil
}

// remember writes the profile into the configuration.
func (l *login) remember() error {
	return config.Edit(l.config.Path(), func(d *config.Document) error {
		name := l.profile.Name
		if err := d.Set(strings.TrimSpace(l.profile.BaseURL), "profiles", name, "base_url"); err != nil {
			return err
		}
		agent := l.Agent
		if l.Alias != "" {
			if err := d.Set(agent, "profiles", name, "agents", l.Alias); err != nil {
				return err
			}
			agent = l.Alias
		}
		if agent != "" {
			if err := d.Set(agent, "profiles", name, "agent"); err != nil {
				return err
			}
		}
		if setting, _ := config.Lookup(config.ProfileKey); !l.config.InFile(setting) {
			return d.Set(name, config.ProfileKey)
		}
		return nil
	})
}

// report tells what was stored where, and the command to try.
func (l *login) report(source credential.Source, place string) error {
	f := l.f
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{
			"profile": l.profile.Name, "base_url": l.profile.BaseURL, "token_source": string(source),
			"agent_id": cli.OrNull(l.Agent), "alias": cli.OrNull(l.Alias),
		})
	}
	agent, flag := "", ""
	if l.needsFlag() {
		flag = " -p " + shell.Word(l.profile.Name)
	}
	try := "hobnob chat" + flag
	_, missing := l.profile.AgentID(l.profile.Agent)
	switch {
	case l.Alias != "":
		agent = fmt.Sprintf("It asks the agent %s (%s).\n", l.Alias, l.Agent)
		try += " -a " + l.Alias
	case l.Agent != "":
		agent = fmt.Sprintf("It asks the agent %s.\n", l.Agent)
	case missing != nil:
		// HOBNOB_AGENT or the file names it, and every question would fail.
		name := terminal.CleanLine(l.profile.Agent)
		agent = fmt.Sprintf("It asks the agent %s, which has no UUID yet; give it one: hobnob agents add %s UUID%s\n", name, shell.Word(name), flag)
	}
	return f.Print.Printf("Logged in to %s as profile %q; the token is in %s.\n%sThe settings are in %s.\nTry: %s \"hello\"\n",
		terminal.CleanLine(l.profile.BaseURL), l.profile.Name, terminal.CleanLine(place), agent, terminal.CleanLine(l.config.Path()), try)
}

// needsFlag reports whether a command without -p would use another profile.
func (l *login) needsFlag() bool {
	c, err := config.Load(config.Options{Path: l.config.Path(), Env: l.f.Env})
	if err != nil {
		return true
	}
	name, _, err := c.Active()
	return err != nil || name != l.profile.Name
}
