package cmd

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// checkService checks what a question of the selected profile needs.
func checkService(ctx context.Context, f *cli.Factory) ([]finding, error) {
	return findService(ctx, f)
}

func findService(ctx context.Context, f *cli.Factory) ([]finding, error) {
	c, err := f.Config()
	if err != nil {
		return []finding{skipped("profile", "not checked, because the configuration cannot be read")}, nil
	}
	profile, found := checkProfile(c)
	if !found.OK {
		return []finding{found, skipped("network", "not checked, because no service is known")}, nil
	}
	findings := append([]finding{found}, checkAgents(c, profile)...)
	if err := markdown.CheckStyle(profile.Style, f.Env("GLAMOUR_STYLE")); err != nil {
		findings = append(findings, problem("style", failure.Plain(config.StyleHint()), "%v", err))
	}
	if profile.Embedded() {
		return append(findings,
			skipped("network", "not needed: the service is built into hobnob"),
			skipped("token", "not needed: the service is built into hobnob"),
			checkKeyring(ctx, f),
		), ctx.Err()
	}
	network, reached, err := checkNetwork(ctx, f, profile)
	if err != nil {
		return nil, err
	}
	account, err := checkAccount(ctx, f, profile, reached)
	return append(append(findings, network...), account...), err
}

func checkProfile(c *config.Config) (config.Profile, finding) {
	name, source, err := c.Active()
	if err != nil {
		return config.Profile{}, problemOf("profile", err)
	}
	profile, err := c.Profile(name)
	if err == nil && !profile.Embedded() {
		_, err = baseurl.Parse(profile.BaseURL, profile.AllowInsecureHTTP)
	}
	if err != nil {
		return config.Profile{}, problemOf("profile", err)
	}
	where := profile.BaseURL
	if profile.Embedded() {
		where = "the service built into hobnob"
	}
	return profile, fine("profile", "%s (from %s): %s", name, source, where)
}

// checkAgents looks at the agent that would be asked and at the aliases.
func checkAgents(c *config.Config, p config.Profile) []finding {
	var findings []finding
	setting, _ := config.Lookup("agent")
	value, _ := c.Get(p.Name, setting)
	id, err := p.AgentID(p.Agent)
	switch {
	case err != nil:
		findings = append(findings, problemOf("agent", err))
	case p.Agent == "" && p.Embedded():
		findings = append(findings, fine("agent", "guide; none is set"))
	case p.Agent == "":
		findings = append(findings, fine("agent", "none is set, so the service chooses; choose one with: %s", failure.Run("hobnob agents use NAME")))
	case p.Agent == id:
		findings = append(findings, fine("agent", "%s (from %s)", id, value.Source))
	default:
		findings = append(findings, fine("agent", "%s, %s (from %s)", p.Agent, id, value.Source))
	}
	for _, name := range p.AgentNames() {
		if id := p.Agents[name]; !config.IsUUID(id) && name != p.Agent {
			findings = append(findings, problem("agent", failure.Hintf("%s", failure.Run("hobnob agents add %s UUID", shell.Word(name))), "the alias %s stands for %q, which is no UUID", name, id))
		}
	}
	return findings
}

// checkKeyring asks the keyring for an entry that it need not have.
func checkKeyring(ctx context.Context, f *cli.Factory) finding {
	resolver := credential.Resolver{}
	status := resolver.Probe(ctx, credential.Key{Profile: config.Default, Origin: "https://example.com"})
	return describeKeyring(status, false)
}

// describeKeyring calls a keyring that does not work a problem only where the
// token would have to come from it.
func describeKeyring(s credential.Status, needed bool) finding {
	var failed *credential.KeyringError
	switch {
	case s.Keyring == nil:
		return fine("keyring", "works")
	case needed && errors.As(s.Keyring, &failed):
		return problem("keyring", failed.Failure().Hint, "%v", s.Keyring)
	case needed:
		return problem("keyring", failure.Hint{}, "%v", s.Keyring)
	}
	return fine("keyring", "not needed here, and it does not work: %v", s.Keyring)
}

// checkAccount looks for the token and, where the service is reached, tries it.
func checkAccount(ctx context.Context, f *cli.Factory, p config.Profile, reached bool) ([]finding, error) {
	resolver, key, err := f.Tokens(p)
	if err != nil {
		return nil, err
	}
	stop := f.Print.Wait("looking for the token")
	status := resolver.Probe(ctx, key)
	stop()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	keyring := describeKeyring(status, errors.Is(status.Err, status.Keyring))
	if status.Err != nil {
		var failed *credential.KeyringError
		token := problemOf("token", resolver.Explain(status.Err, key))
		if errors.As(status.Err, &failed) {
			// Told once, beside the keyring.
			token = skipped("token", "not checked, because the keyring does not answer")
		}
		return []finding{keyring, token, skipped("listing", "not checked, because there is no token")}, nil
	}
	source := status.Token.Source()
	if !reached {
		return []finding{keyring, fine("token", "%s; not tried, because the service is not reached", source.Describe()), skipped("listing", "not checked, because the service is not reached")}, nil
	}
	token, listing, err := tryToken(ctx, f, p, status.Token.Reveal(), source)
	return []finding{keyring, token, listing}, err
}

func tryToken(ctx context.Context, f *cli.Factory, p config.Profile, secret string, from credential.Source) (token, listing finding, err error) {
	p.Timeout, p.Retries = min(p.Timeout, checkLimit), 0
	client, err := f.ClientWithToken(p, secret)
	if err != nil {
		return token, listing, err
	}
	limited, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	stop := f.Print.Wait("trying the token")
	path, err := client.FindListing(limited)
	stop()
	if ctx.Err() != nil {
		return token, listing, context.Cause(ctx)
	}
	var e *api.Error
	isRemote := errors.As(err, &e)
	source := from.Describe()
	told := fine("token", "%s; not tried, because the listing does not work", source)
	switch {
	case err == nil:
		return fine("token", "%s; the service accepts it", source), fine("listing", "works at %s", path), nil
	case isRemote && e.Kind == api.KindAuth:
		what := "the service does not accept it"
		if e.Status == 403 {
			what = "the service knows it and does not allow the listing"
		}
		return problem("token", from.Refused(e.Status), "%s; %s: %v", source, what, e), skipped("listing", "not checked, because it needs the token"), nil
	case api.IsNoListing(err):
		return told, problem("listing", failure.Hintf("check the path of the base URL; where the listing is elsewhere: %s", failure.Run("hobnob config set conversations_path PATH")), "the service has none: %v", err), nil
	case isRemote && e.Kind == api.KindBroken:
		return told, problem("listing", failure.Plain("check that the base URL is that of an Agent Chat Service"), "%v", err), nil
	case isRemote && e.Kind == api.KindCanceled:
		return told, problem("listing", failure.Plain("try later, or ask the owner of the service"), "no answer within %s", config.Format(checkLimit)), nil
	case isRemote && e.Kind == api.KindRefused:
		return told, problem("listing", e.Failure().Hint, "%v", err), nil
	}
	return told, problem("listing", failure.Plain("try later, or ask the owner of the service"), "%v", err), nil
}
