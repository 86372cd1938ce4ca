// Package login is the dialogue that connects a service: it finds the profile,
// asks on the terminal for the address, the token, the agent and its alias, checks
// each answer when it is given, and stores nothing before the last one. It knows
// the terminal, and neither flags nor how the result is printed.
package login

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// maxAnswers is how often one question is asked.
const maxAnswers = 3

// Options are what is known before anything is asked.
type Options struct {
	Agent string // a UUID, or ""
	Alias string // of that agent, or ""
	// WithToken reads the token from standard input and asks nothing.
	WithToken bool
	// InsecureStorage stores the token in a private file instead of the keyring.
	InsecureStorage bool
}

// Result is what was stored.
type Result struct {
	Profile config.Profile
	Agent   string // a UUID, "" when none was given
	Alias   string // of that agent, "" for none
	Source  credential.Source
	File    string // where a token of credential.SourceFile is
	// Selected says that a command without -p uses the profile.
	Selected bool
}

// dialogue is one login: what is known so far.
type dialogue struct {
	Options
	f       *cli.Factory
	config  *config.Config
	profile config.Profile
	fresh   bool // the service of the profile was not configured before
	reached bool // the service answers
	tokens  credential.Resolver
	key     credential.Key // of the token to store
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

// Run connects a service to the selected profile and stores the token that the
// service accepted, and then the profile.
func Run(ctx context.Context, f *cli.Factory, o Options) (Result, error) {
	d := &dialogue{Options: o, f: f}
	token, err := d.ask(ctx)
	if err != nil {
		return Result{}, err
	}
	source, err := d.tokens.Store(ctx, d.key, token, d.InsecureStorage)
	var leftover *credential.LeftoverError
	if errors.As(err, &leftover) {
		f.Print.Warn("%v", leftover)
	} else if err != nil {
		return Result{}, err
	}
	if err := config.Edit(d.config.Path(), d.remember); err != nil {
		return Result{}, err
	}
	switch d.tokens.Given() {
	case credential.SourceEnvironment:
		f.Print.Note("HOBNOB_TOKEN is set and comes before what was stored")
	case credential.SourceCommand:
		f.Print.Note("the profile's token_command comes before what was stored")
	}
	return Result{d.profile, d.Agent, d.Alias, source, d.tokens.File, d.isSelected()}, nil
}

// selectProfile finds the profile and its address: that of a flag, the configured
// one, or the one typed.
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
		return failure.Usagef("choose another name: hobnob login -p NAME", "the profile %q is the built-in service and needs no login", config.Local)
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

// ask finds out everything, in the order of the questions, and returns the token
// that the service accepted.
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
	if d.WithToken {
		if token, err = d.readToken(); err == nil {
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

// question asks and removes what a paste leaves around an answer. With a preset,
// Enter takes it.
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

// unquoted removes the quotes and brackets that documents and mails put around
// an address, and the marks of a bracketed paste.
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

// complain says on the terminal why an answer was not taken, and what to do. A
// terminal that is gone fails the next question.
func (d *dialogue) complain(what, fix string) {
	lines := []string{"! " + what, "! " + fix}
	if fix == "" {
		lines = lines[:1]
	}
	_ = d.f.IO.Tell(lines...)
}

// remember writes the profile into the configuration, and selects it where none is.
func (d *dialogue) remember(doc *config.Document) error {
	name, agent := d.profile.Name, d.Agent
	if err := doc.Set(strings.TrimSpace(d.profile.BaseURL), "profiles", name, "base_url"); err != nil {
		return err
	}
	if d.Alias != "" {
		if err := doc.Set(agent, "profiles", name, "agents", d.Alias); err != nil {
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

// isSelected reports whether a command without -p uses the profile from now on.
func (d *dialogue) isSelected() bool {
	c, err := config.Load(config.Options{Path: d.config.Path(), Env: d.f.Env})
	if err != nil {
		return false
	}
	name, _, err := c.Active()
	return err == nil && name == d.profile.Name
}
