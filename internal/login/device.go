package login

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/doctor"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/oauth"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// deviceLogin is the part of the dialogue that concerns an issuer.
type deviceLogin struct{ *dialogue }

// prepare checks the address of the issuer, and that the login can be stored.
func (d deviceLogin) prepare(ctx context.Context) error {
	if err := oauth.CheckIssuer(d.Issuer, d.profile.AllowInsecureHTTP); err != nil {
		hint := failure.Hint{}
		if strings.HasPrefix(strings.TrimSpace(d.Issuer), "http://") {
			hint = failure.Hintf("on a network you trust, allow it: %s", failure.Run("hobnob config set allow_insecure_http true"))
		}
		return failure.New(failure.Usage, hint, "--issuer "+err.Error())
	}
	switch {
	case d.InsecureStorage:
		return nil
	case d.f.IO.InTTY && !d.f.Global.JSON:
		return d.findKeyring(ctx)
	}
	return d.needKeyring(ctx)
}

// run logs in at the issuer with a code that the user enters in a browser, and
// returns the token that the service accepted.
func (d deviceLogin) run(ctx context.Context) (string, error) {
	if d.f.Global.JSON {
		if err := d.show(nil); err != nil {
			return "", err
		}
	}
	if err := d.reach(ctx, d.profile); err != nil {
		return "", &notStoredError{d.suggestAddress(err)}
	}
	client, err := cli.OAuthClient(d.f, d.profile)
	if err != nil {
		return "", err
	}
	if d.grant, err = d.approve(ctx, client); err != nil {
		return "", &notStoredError{d.explain(err)}
	}
	if d.grant.RefreshToken == "" {
		d.f.Print.Warn("the issuer gave no refresh token, so you must log in again when the token expires; the scope offline_access may give one")
	}
	trial, err := d.try(ctx, d.grant.AccessToken)
	if trial.Outcome == doctor.Refused {
		hint := failure.Plain("ask the operator of the service which issuer, scopes and audience it accepts, and log in with these")
		return "", failure.WithHint(err, "%s", hint)
	}
	return d.grant.AccessToken, err
}

// approve shows the code and waits until the user has entered it.
func (d deviceLogin) approve(ctx context.Context, client oauth.Client) (oauth.Grant, error) {
	stop := d.f.Print.Wait("connecting to the issuer")
	provider, err := client.Discover(ctx, d.Issuer)
	if err != nil {
		stop()
		if failure.Of(err).Hint.IsZero() {
			err = failure.WithHint(err, "check --issuer; it is the address before /.well-known/openid-configuration")
		}
		return oauth.Grant{}, err
	}
	if len(d.Request.Scopes) == 0 {
		d.Request.Scopes = provider.DefaultScopes()
	}
	device, err := client.Begin(ctx, provider, d.Request)
	stop()
	if err != nil {
		return oauth.Grant{}, err
	}
	if err := d.show(describeDevice(device, time.Now())); err != nil {
		return oauth.Grant{}, err
	}
	defer d.f.Print.Wait("waiting for your approval in the browser")()
	return client.Await(ctx, device)
}

// show prints lines even with --quiet. With --json, both streams are for documents.
func (d deviceLogin) show(lines []string) error {
	if d.f.Global.JSON {
		if err := d.f.IO.PrintTTY(lines...); err != nil {
			return failure.Usagef("omit --json", "cannot show the code with --json: no terminal")
		}
		return nil
	}
	for _, line := range lines {
		fmt.Fprintln(d.f.IO.Err, terminal.CleanLine(line))
	}
	return nil
}

// describeDevice returns the lines that ask the user to enter the code.
func describeDevice(device oauth.Device, now time.Time) []string {
	lines := []string{
		"To log in, open this address in a browser, on any device: " + device.VerificationURL,
		"Then enter the code: " + device.UserCode,
	}
	if device.CompleteURL != "" {
		lines = append(lines, "Or open the address with the code: "+device.CompleteURL)
	}
	limit := max(device.Expiry.Sub(now).Round(time.Second), time.Second)
	return append(lines, fmt.Sprintf("The code is valid for %s. Only enter it if you started this login. Press Ctrl-C to cancel.", duration.Seconds(limit)))
}

// explain adds the next step to an error of the issuer.
func (d deviceLogin) explain(err error) error {
	failed := new(oauth.Error)
	if !errors.As(err, &failed) {
		return err
	}
	switch {
	case failed.Code == oauth.CodeAccessDenied, failed.Code == oauth.CodeExpired:
		return failure.WithHint(err, "log in again and approve it in the browser: %s", d.command(d.InsecureStorage))
	case failed.Code == oauth.CodeInvalidClient:
		return failure.WithHint(err, "check --client-id; the operator of the issuer assigns it")
	case failed.Code == oauth.CodeInvalidScope && len(d.Request.Scopes) > 0:
		return failure.WithHint(err, "check --scope; this login asked for %q", strings.Join(d.Request.Scopes, " "))
	}
	return err
}

// command returns the command that repeats this login.
func (d deviceLogin) command(insecure bool) failure.Command {
	var more []string
	for _, flag := range [][2]string{{"--base-url", d.f.Global.BaseURL}, {"--agent", d.Agent}, {"--alias", d.Alias}} {
		if flag[1] != "" {
			more = append(more, flag[0], flag[1])
		}
	}
	return credential.LoginCommand(oauth.Grant{
		Issuer: d.Issuer, ClientID: d.Request.ClientID, Scope: strings.Join(d.Request.Scopes, " "), Audience: d.Request.Audience,
	}, insecure, more...)
}
