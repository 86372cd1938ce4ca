package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

type profilesDeleteOptions struct {
	f *cli.Factory

	Name string
	Yes  bool
}

func newProfilesDeleteCommand(f *cli.Factory) *cobra.Command {
	opts := profilesDeleteOptions{f: f}
	cmd := &cobra.Command{
		Use: "delete NAME", Aliases: []string{"rm", "remove"},
		Short: "Delete a profile and its stored token",
		Long: `Delete a profile, its settings and its stored token, after confirmation. Its
conversations stay in the history.`,
		Example:           "  hobnob profiles delete work",
		ValidArgsFunction: complete{f}.first(complete{f}.profiles),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = args[0]
			return runProfilesDelete(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask for confirmation")
	return cmd
}

// deletedProfile is the output of profiles delete --json.
type deletedProfile struct {
	Deleted       string   `json:"deleted"`
	RemovedFrom   []string `json:"token_removed_from"`
	Conversations int      `json:"conversations"` // that stay in the history
	Default       *string  `json:"default"`       // the profile used without -p, or null
}

func runProfilesDelete(ctx context.Context, opts profilesDeleteOptions) error {
	f := opts.f
	c, err := f.Config()
	if err != nil {
		return err
	}
	name, err := c.Known(opts.Name)
	if err != nil {
		return err
	}
	if name == config.Local {
		return failure.Usagef("", "profile %q is the built-in service and cannot be deleted", name)
	}
	conversations, err := countConversations(ctx, f)
	if err != nil {
		return err
	}
	result := deletedProfile{Deleted: name, RemovedFrom: []string{}, Conversations: conversations[name]}
	if !opts.Yes {
		question := fmt.Sprintf("Delete profile %q with its settings and its stored token?", name)
		yes, err := f.Print.Confirm(ctx, question, failure.Usagef("", "deleting profile %q needs confirmation: pass --yes", name))
		if err != nil {
			return err
		}
		if !yes {
			return f.Print.Done("nothing was deleted")
		}
	}
	sources, err := deleteTokens(ctx, f, config.Stored(c, name))
	if err != nil {
		return err
	}
	for _, source := range sources {
		result.RemovedFrom = append(result.RemovedFrom, string(source))
	}
	if err := f.EditConfig(func(d *config.Document) error {
		if isDefaultInFile(c, name) {
			if _, err := d.Unset(config.ProfileKey); err != nil {
				return err
			}
		}
		_, err := d.Unset("profiles", name)
		return err
	}); err != nil {
		return err
	}
	after, err := config.Load(config.Options{Path: c.Path(), Env: f.Env})
	if err != nil {
		return err
	}
	result.Default = cli.OrNull(config.Selected(after))
	if f.Global.JSON {
		return f.Print.JSON(result)
	}
	return result.print(f, config.Selected(c))
}

func (r deletedProfile) print(f *cli.Factory, before string) error {
	token := "it had no stored token"
	if len(r.RemovedFrom) > 0 {
		token = "its token was removed from the " + strings.Join(r.RemovedFrom, " and the ")
	}
	if err := f.Print.Done("deleted profile %q; %s", r.Deleted, token); err != nil {
		return err
	}
	if r.Conversations > 0 {
		f.Print.Note("its history is unchanged (%s); to list it: hobnob conversations list --all-profiles", plural.Count(r.Conversations, "conversation"))
	}
	switch {
	case r.Default == nil:
		f.Print.Note("there is no default profile now; to set one: hobnob profiles use NAME")
	case *r.Default != before:
		f.Print.Note("the default profile is now %q", *r.Default)
	}
	return nil
}

// deleteTokens removes the stored tokens of a configured profile.
func deleteTokens(ctx context.Context, f *cli.Factory, profile config.Profile) ([]credential.Source, error) {
	resolver, key, err := f.Tokens(profile)
	if err != nil { // without a valid address, the keyring cannot be searched
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		resolver.File, key = filepath.Join(filepath.Dir(paths.ConfigFile), "tokens.json"), credential.Key{Profile: profile.Name}
	}
	return resolver.DeleteProfile(ctx, key)
}

// isDefaultInFile reports whether the profile is the default in the configuration file.
func isDefaultInFile(c *config.Config, name string) bool {
	setting, _ := config.Lookup(config.ProfileKey)
	value, err := c.FromFile("", setting)
	return err == nil && strings.EqualFold(config.Format(value.Value), name)
}
