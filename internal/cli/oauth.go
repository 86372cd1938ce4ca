package cli

import (
	"context"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/oauth"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// OAuthClient returns a client for the issuer of a profile's token. It uses the proxy and the
// certificates with which the profile reaches its service.
func OAuthClient(f *Factory, p config.Profile) (oauth.Client, error) {
	transport, err := api.NewTransport(p.CAFile)
	if err != nil {
		return oauth.Client{}, err
	}
	client := oauth.Client{Transport: transport, UserAgent: userAgent(), AllowInsecureHTTP: p.AllowInsecureHTTP}
	if f.Global.Verbose {
		client.Log = func(line string) { fmt.Fprintln(f.IO.Err, terminal.CleanLine(line)) }
	}
	return client, nil
}

// refresher returns the function that renews a login of a profile.
func refresher(f *Factory, p config.Profile) func(context.Context, oauth.Grant) (oauth.Grant, error) {
	return func(ctx context.Context, grant oauth.Grant) (oauth.Grant, error) {
		client, err := OAuthClient(f, p)
		if err != nil {
			return oauth.Grant{}, err
		}
		return client.Refresh(ctx, grant)
	}
}
