// Package login runs the dialogue that connects a service. It selects the profile,
// asks on the terminal for the address, the token, the agent and its alias, checks
// each answer at once, and stores the result at the end. Parsing of flags and printing
// of the result belong to the caller.
package login

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/oauth"
)

// maxAnswers is the maximum number of attempts to answer a question.
const maxAnswers = 3

// Options are the inputs known before the dialogue.
type Options struct {
	Agent string // a UUID, or ""
	Alias string // of that agent, or ""
	// WithToken reads the token from standard input, without a dialogue.
	WithToken bool
	// InsecureStorage stores the token in a private file instead of the keyring.
	InsecureStorage bool
	// Issuer is the address of the OAuth issuer to log in at, or "" for a token that the
	// user has.
	Issuer string
	// Request is the login at that issuer.
	Request oauth.Request
}

// Result describes what was stored.
type Result struct {
	Profile config.Profile
	Agent   string // a UUID, or ""
	Alias   string // of that agent, or ""
	Source  credential.Source
	File    string // path of the token file, for credential.SourceFile
	// Unverified is the reason why the token could not be verified, or "" if the
	// service accepted it.
	Unverified string
	// Default is the profile that commands without -p use, or "".
	Default string
	// Issuer of the token, or "", and when it expires, or zero.
	Issuer  string
	Expiry  time.Time
	Renewed bool // whether hobnob renews the token automatically
}

// dialogue is the state of one login.
type dialogue struct {
	Options
	f       *cli.Factory
	config  *config.Config
	profile config.Profile
	fresh   bool // the profile has no address in the file yet
	reached bool // the service has answered
	// unverified becomes Result.Unverified.
	unverified string
	tokens     credential.Resolver
	key        credential.Key // of the token to store
	// grant is what the issuer has granted.
	grant oauth.Grant
}

// notStoredError reports that login ended before anything was stored.
type notStoredError struct{ err error }

func (e *notStoredError) Error() string {
	if errors.Is(e.err, io.EOF) && !errors.As(e.err, new(*api.Error)) {
		return "login cancelled; nothing was stored"
	}
	var failed *credential.KeyringError
	if errors.As(e.err, &failed) {
		return "nothing was stored: " + failed.Cause()
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

// Run connects a service to the selected profile. After the service has accepted the
// token, it stores the token and then the profile.
func Run(ctx context.Context, f *cli.Factory, o Options) (Result, error) {
	d := &dialogue{Options: o, f: f}
	token, err := d.ask(ctx)
	if err != nil {
		return Result{}, err
	}
	source, err := d.store(ctx, token)
	var leftover *credential.LeftoverError
	if errors.As(err, &leftover) {
		f.Print.Warn("%v", leftover)
	} else if err != nil {
		return Result{}, err
	}
	if err := config.Edit(d.config.Path(), d.remember); err != nil {
		return Result{}, err
	}
	for _, key := range d.config.Moved(d.profile.Name, d.profile.BaseURL) {
		f.Print.Warn("%s of profile %q now applies to the new address", key, d.profile.Name)
	}
	after, selected := d.reload()
	switch {
	case d.tokens.Environment != "":
		f.Print.Note("HOBNOB_TOKEN is set and overrides the stored token")
	case len(after.TokenCommand) > 0:
		f.Print.Note("the profile's token_command overrides the stored token")
	}
	return Result{
		Profile: d.profile, Agent: d.Agent, Alias: d.Alias, Source: source, File: d.tokens.File, Unverified: d.unverified, Default: selected,
		Issuer: d.grant.Issuer, Expiry: d.grant.Expiry, Renewed: d.grant.RefreshToken != "",
	}, nil
}

func (d *dialogue) store(ctx context.Context, token string) (credential.Source, error) {
	if d.Issuer != "" {
		return d.tokens.StoreLogin(ctx, d.key, d.grant, d.InsecureStorage)
	}
	return d.tokens.Store(ctx, d.key, token, d.InsecureStorage)
}

// selectProfile determines the profile and its address, from flags, the configuration
// or the user's answer.
func (d *dialogue) selectProfile(ctx context.Context) (err error) {
	if d.config, err = d.f.Config(); err != nil {
		return err
	}
	name, source, err := d.config.Active()
	var unknown *config.UnknownProfileError
	switch {
	case errors.As(err, &unknown) && unknown.Source.Kind != "file":
		name = unknown.Name
	case err != nil:
		return err
	case name == config.Local && source.Kind == "flag":
		return failure.Usagef("choose another name: hobnob login -p NAME", "profile %q is the built-in service and needs no login", config.Local)
	case name == config.Local:
		name = config.Default
	}
	setting, _ := config.Lookup("base_url")
	configured, err := d.config.FromFile(name, setting)
	d.fresh = err == nil && configured.Value == ""
	d.profile, err = d.config.Profile(name)
	if errors.As(err, new(*config.NoBaseURLError)) {
		return d.askAddress(ctx, name)
	}
	return err
}

// ask asks all questions in order and returns the token that the service accepted.
func (d *dialogue) ask(ctx context.Context) (token string, err error) {
	if err = d.selectProfile(ctx); err != nil {
		return "", err
	}
	if err = d.checkAlias(d.Alias, d.Agent); err != nil {
		return "", err
	}
	if d.tokens, d.key, err = d.f.Tokens(d.profile); err != nil {
		return "", err
	}
	if d.Issuer != "" {
		if err = (deviceLogin{d}).prepare(ctx); err != nil {
			return "", err
		}
		return deviceLogin{d}.run(ctx)
	}
	if d.WithToken {
		if !d.InsecureStorage {
			if err := d.needKeyring(ctx); err != nil {
				return "", err
			}
		}
		if token, err = d.readToken(ctx); err == nil {
			_, err = d.try(ctx, token)
		}
		return token, err
	}
	if err = d.prepare(ctx); err != nil {
		return "", err
	}
	if token, err = d.askToken(ctx); err != nil {
		return "", err
	}
	return token, d.askAgent(ctx)
}

// question asks a question and returns the answer without the quotes and control
// sequences of a paste. An empty answer selects the preset, if there is one.
func (d *dialogue) question(ctx context.Context, text, preset string) (string, error) {
	if preset != "" {
		text += " [" + preset + "]"
	}
	answer, err := d.f.IO.Ask(ctx, text+":")
	if err != nil {
		return "", &notStoredError{err}
	}
	if answer = unquoted(answer); answer == "" {
		answer = preset
	}
	return answer, nil
}

// unquoted removes quotes and brackets, which documents and mails put around an
// address, and the control sequences of a bracketed paste.
func unquoted(text string) string {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "\x1b[200~"), "\x1b[201~"))
	for _, pair := range []string{`""`, "''", "``", "<>", "“”"} {
		open, end := string([]rune(pair)[:1]), string([]rune(pair)[1:])
		if inner, ok := strings.CutPrefix(text, open); ok && strings.HasSuffix(inner, end) {
			return strings.TrimSpace(strings.TrimSuffix(inner, end))
		}
	}
	return text
}

// complain prints why an answer was rejected and how to fix it. It ignores errors of
// the terminal, because the next question returns them.
func (d *dialogue) complain(what, fix string) {
	lines := []string{"! " + what, "! " + fix}
	if fix == "" {
		lines = lines[:1]
	}
	_ = d.f.IO.PrintTTY(lines...)
}

// remember writes the profile to the configuration, and selects it if none is
// selected.
func (d *dialogue) remember(doc *config.Document) error {
	name, agent := d.profile.Name, d.Agent
	if err := doc.Set(strings.TrimSpace(d.profile.BaseURL), "profiles", name, "base_url"); err != nil {
		return err
	}
	if d.Alias != "" {
		if err := doc.SetAgent(name, d.Alias, agent, nil); err != nil {
			return err
		}
		agent = d.Alias
	}
	if agent != "" {
		if err := doc.Set(agent, "profiles", name, "agent"); err != nil {
			return err
		}
	}
	if setting, _ := config.Lookup(config.ProfileKey); d.config.InFile(setting) {
		return nil
	}
	return doc.Set(name, config.ProfileKey)
}

// reload returns the profile as stored in the file, and the profile that commands
// without -p use, or "".
func (d *dialogue) reload() (profile config.Profile, selected string) {
	c, err := config.Load(config.Options{Path: d.config.Path(), Env: d.f.Env})
	if err != nil {
		return d.profile, ""
	}
	if profile, err = c.Profile(d.profile.Name); err != nil {
		profile = d.profile
	}
	return profile, config.Selected(c)
}
