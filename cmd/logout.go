package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/oauth"
)

type logoutOptions struct{ f *cli.Factory }

func newLogoutCommand(f *cli.Factory) *cobra.Command {
	opts := logoutOptions{f: f}
	return &cobra.Command{
		Use:   "logout",
		Short: "Remove the stored token of a profile",
		Long: `Remove the stored token of the selected profile from the keyring and from the
token file. A login at an OAuth issuer is also revoked there. The profile and its
conversations are not deleted.`,
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
		return noToken(f, profile.Name, fmt.Sprintf("profile %q is the built-in service and needs no token", profile.Name))
	}
	resolver, key, err := f.Tokens(profile)
	if err != nil {
		return err
	}
	nothing := fmt.Sprintf("no token was stored for profile %q at %s", key.Profile, key.Origin)
	sources, login, err := resolver.Logout(ctx, key)
	if credential.IsAbsent(err) {
		nothing, err = nothing+"; no system keyring is available", nil
	}
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
	if len(names) == 0 {
		return noToken(f, profile.Name, nothing)
	}
	if login != nil {
		revoke(ctx, f, profile, *login)
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"profile": profile.Name, "removed_from": names})
	}
	return f.Print.Printf("Removed the token of profile %q from the %s.\n", profile.Name, strings.Join(names, " and the "))
}

// revoke makes a login invalid at its issuer. It is removed from this machine already, so
// a failure is only a note.
func revoke(ctx context.Context, f *cli.Factory, profile config.Profile, login oauth.Grant) {
	defer f.Print.Wait("revoking the login")()
	client, err := cli.OAuthClient(f, profile)
	revoked := false
	if err == nil {
		revoked, err = client.Revoke(ctx, login)
	}
	switch {
	case err != nil:
		f.Print.Note("the login was removed from this machine, but not revoked: %v", err)
	case !revoked:
		f.Print.Note("%s cannot revoke a login; its token stays valid until it expires", login.Issuer)
	}
}

// noToken reports that there was no token to remove, which is not an error.
func noToken(f *cli.Factory, profile, text string) error {
	f.Print.Note("%s", text)
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{"profile": profile, "removed_from": []string{}})
	}
	return nil
}
