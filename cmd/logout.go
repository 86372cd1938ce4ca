package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

type logoutOptions struct{ f *cli.Factory }

func newLogoutCommand(f *cli.Factory) *cobra.Command {
	opts := logoutOptions{f: f}
	return &cobra.Command{
		Use:   "logout",
		Short: "Remove the stored token of a profile",
		Long: `Remove the stored token of the selected profile from the keyring and from the
token file. The profile and the conversations stay.`,
		Example: "  hobnob logout\n  hobnob logout -p work",
		GroupID: groupConnect,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runLogout(cmd.Context(), opts) },
	}
}

func runLogout(ctx context.Context, opts logoutOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	if profile.Embedded() {
		return failure.Usagef("choose a profile with -p", "the profile %q is the built-in service and has no token", profile.Name)
	}
	resolver, key, err := f.Tokens(profile)
	if err != nil {
		return err
	}
	sources, err := resolver.Delete(ctx, key)
	if err != nil {
		return err
	}
	if resolver.Environment != "" {
		f.Print.Note("HOBNOB_TOKEN is still set and will be used")
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = string(s)
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"profile": profile.Name, "removed_from": names})
	}
	if len(names) == 0 {
		f.Print.Note("no token was stored for profile %q at %s", key.Profile, key.Origin)
		return nil
	}
	return f.Print.Printf("Removed the token of profile %q from the %s.\n", profile.Name, strings.Join(names, " and the "))
}
