package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type loginOptions struct {
	f *Factory

	Agent           string
	WithToken       bool
	InsecureStorage bool
}

func newLoginCommand(f *Factory, run func(context.Context, loginOptions) error) *cobra.Command {
	opts := loginOptions{f: f}
	if run == nil {
		run = runLogin
	}
	cmd := &cobra.Command{
		Use:         "login",
		Annotations: map[string]string{createsConfig: ""},
		Short:       "Connect a service: its address and your token",
		Long: `Connect a service: store its address in a profile and your token in the
system's keyring. What is missing is asked for on the terminal; the token is not
shown while it is typed. The token is tried before anything is stored.

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
				return usagef("an alias can be made afterwards: hobnob agents add NAME UUID", "--agent %q is not a UUID", opts.Agent)
			}
			return run(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Agent, "agent", "", "agent to ask by default, a `UUID`")
	cmd.Flags().BoolVar(&opts.WithToken, "with-token", false, "read the token from standard input")
	cmd.Flags().BoolVar(&opts.InsecureStorage, "insecure-storage", false, "keep the token in a file of mode 0600 instead of the keyring")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.NoFileCompletions)
	return cmd
}

func runLogin(ctx context.Context, opts loginOptions) error {
	f := opts.f
	profile, err := loginProfile(ctx, f)
	if err != nil {
		return err
	}
	resolver, key, err := f.Tokens(profile)
	if err != nil {
		return err
	}
	token, err := opts.token(ctx, key.Origin)
	if err != nil {
		return err
	}
	if err := verify(ctx, f, profile, token); err != nil {
		return err
	}
	source, err := resolver.Store(ctx, key, token, opts.InsecureStorage)
	var leftover *credential.LeftoverError
	if errors.As(err, &leftover) {
		f.warn("%v", leftover)
	} else if err != nil {
		return err
	}
	if err := opts.remember(profile); err != nil {
		return err
	}
	if resolver.Environment != "" {
		f.note("HOBNOB_TOKEN is set and comes before what was stored")
	}
	if f.Global.JSON {
		return f.printJSON(map[string]string{"profile": profile.Name, "base_url": profile.BaseURL, "token_source": string(source)})
	}
	place := "the keyring"
	if source == credential.SourceFile {
		place = resolver.File
	}
	return f.printf("Logged in to %s as profile %q; the token is in %s.\nTry: hobnob chat -p %s \"hello\"\n",
		terminal.CleanLine(profile.BaseURL), profile.Name, terminal.CleanLine(place), profile.Name)
}

// loginProfile is the profile to log in to, with its address: the flag's, the
// configured one, or the one typed at a prompt.
func loginProfile(ctx context.Context, f *Factory) (config.Profile, error) {
	c, err := f.Config()
	if err != nil {
		return config.Profile{}, err
	}
	name, source, err := c.Active()
	var unknown *config.UnknownProfileError
	switch {
	case errors.As(err, &unknown) && unknown.Source.Kind != "file":
		name = unknown.Name
	case err != nil:
		return config.Profile{}, err
	case name == config.Local && source.Kind == "flag":
		return config.Profile{}, usagef("choose another name: hobnob login -p NAME", "the profile %q is the built-in service and needs no login", config.Local)
	case name == config.Local:
		name = config.Default
	}
	profile, err := c.Profile(name)
	var missing *config.NoBaseURLError
	if !errors.As(err, &missing) {
		return profile, err
	}
	address, err := f.IO.Ask(ctx, "Address of the service (like https://chat.example.com):")
	if err != nil {
		return config.Profile{}, &hintError{err: fmt.Errorf("the address of the service is missing: %w", err), hint: "give it with --base-url"}
	}
	return c.WithBaseURL(address).Profile(name)
}

// token reads the token from standard input or asks for it.
func (o loginOptions) token(ctx context.Context, origin string) (string, error) {
	var token string
	if o.WithToken {
		data, err := io.ReadAll(io.LimitReader(o.f.IO.In, credential.MaxLength+64))
		if err != nil {
			return "", fmt.Errorf("cannot read the token from standard input: %w", err)
		}
		token = string(data)
	} else {
		var err error
		if token, err = o.f.IO.AskSecret(ctx, "Token for "+origin+" (not shown):"); err != nil {
			return "", &hintError{err: fmt.Errorf("the token is missing: %w", err), hint: "give it on standard input: hobnob login --with-token < FILE"}
		}
	}
	token = credential.Trim(token)
	return token, credential.Validate(token)
}

// verify asks the service for one conversation with the token. A service
// without a listing cannot tell; that is said and no obstacle.
func verify(ctx context.Context, f *Factory, profile config.Profile, token string) error {
	client, err := f.clientWithToken(profile, token)
	if err != nil {
		return err
	}
	stop := f.wait("trying the token")
	_, err = client.Conversations(ctx, 1)
	stop()
	var e *api.Error
	if errors.As(err, &e) && (e.Status == 404 || e.Status == 405 || e.Status == 501) {
		f.warn("the token could not be tried, because the service has no listing of conversations at its usual places")
		return nil
	}
	if err != nil {
		return fmt.Errorf("nothing was stored: %w", err)
	}
	return nil
}

// remember writes the profile into the configuration.
func (o loginOptions) remember(profile config.Profile) error {
	c, err := o.f.Config()
	if err != nil {
		return err
	}
	return config.Edit(c.Path(), func(d *config.Document) error {
		if err := d.Set(strings.TrimSpace(profile.BaseURL), "profiles", profile.Name, "base_url"); err != nil {
			return err
		}
		if o.Agent != "" {
			if err := d.Set(o.Agent, "profiles", profile.Name, "agent"); err != nil {
				return err
			}
		}
		if setting, _ := config.Lookup(config.ProfileKey); !c.InFile(setting) {
			return d.Set(profile.Name, config.ProfileKey)
		}
		return nil
	})
}
