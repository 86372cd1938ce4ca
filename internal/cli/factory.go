// Package cli provides what commands share: the Factory, which opens files and
// clients on demand, the Printer, which writes results, notes and progress, and error
// reports.
package cli

import (
	"cmp"
	"context"
	"errors"
	"os/user"
	"runtime"
	"sync"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/cassette"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/project"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Global holds the values of the global flags.
type Global struct {
	Profile string
	BaseURL string
	Config  string
	JSON    bool // also set by --jq
	JQ      string
	Quiet   bool
	Verbose bool
	NoColor bool
	Timeout string
	Record  string // file, from the flag or HOBNOB_RECORD
	Replay  string // file, from the flag or HOBNOB_REPLAY
}

// PassedToken is a token with the directory and the environment of the token_command that
// printed it. Zero fields have no effect.
type PassedToken struct {
	Token credential.Token
	Dir   string
	Env   []string
}

// Factory provides the dependencies of commands. It opens each of them when it is
// first requested, and Close closes them.
type Factory struct {
	IO     *terminal.Streams
	Env    config.Env
	Global Global
	Print  *Printer
	// Args is the command line.
	Args []string
	// Passed is what the process that started this one in the background has passed
	// for the token of the profile.
	Passed PassedToken
	// Settings holds the values of settings from flags, by key. It is complete
	// before a command runs.
	Settings map[string]string
	// Paths returns the locations of hobnob's files.
	Paths func() (config.Paths, error)
	// Config reads the configuration file.
	Config func() (*config.Config, error)
	// Project finds the project file of the working directory, and reads it if it is
	// trusted.
	Project func() (project.Project, error)
	// noteIgnored prints why the project file is ignored, once.
	noteIgnored func(project.Project)
	// player opens the recording of Global.Replay.
	player func() (*cassette.Player, error)

	store  *history.Store // open for writing; nil before the first call of History
	tokens map[credential.Key]*credential.Shared
	closes []func() error
}

// New returns a factory for the streams and the environment of the process.
func New(streams *terminal.Streams, getenv config.Env) *Factory {
	f := &Factory{IO: streams, Env: homeFromUser(getenv)}
	f.Print = &Printer{IO: streams, flags: &f.Global, selected: f.SelectedProfile}
	f.Paths = sync.OnceValues(func() (config.Paths, error) {
		return config.FindPaths(f.Env, runtime.GOOS, f.Global.Config)
	})
	f.Config = sync.OnceValues(func() (*config.Config, error) {
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		found, err := f.Project()
		if err != nil {
			return nil, err
		}
		c, err := config.Load(config.Options{
			Path: paths.ConfigFile, Flags: f.Settings, Env: f.Env, LocalAgents: agent.BuiltinIDs(),
			ProjectFile: found.Path(), Project: map[string]string{"agent": found.Agent, "instructions": found.Instructions},
		})
		if err != nil {
			return nil, err
		}
		for _, key := range c.Unknown() {
			f.Print.Note("unknown setting %q in %s is ignored", key, paths.ConfigFile)
		}
		return c, nil
	})
	f.noteIgnored = noteIgnored(f)
	f.Project = sync.OnceValues(func() (project.Project, error) { return loadProject(f) })
	f.player = sync.OnceValues(func() (*cassette.Player, error) { return openPlayer(f) })
	return f
}

// homeFromUser returns an environment in which HOME is taken from the user database
// if it is not set, as under a service manager or in a container.
func homeFromUser(getenv config.Env) config.Env {
	return func(key string) string {
		if value := getenv(key); value != "" || key != "HOME" || runtime.GOOS == "windows" {
			return value
		}
		if u, err := user.Current(); err == nil {
			return u.HomeDir
		}
		return ""
	}
}

// Close closes everything that was opened, in reverse order.
func (f *Factory) Close() error {
	var errs []error
	for i := len(f.closes) - 1; i >= 0; i-- {
		errs = append(errs, f.closes[i]())
	}
	f.closes = nil
	return errors.Join(errs...)
}

// History opens the history for writing and creates it if it does not exist.
func (f *Factory) History(ctx context.Context) (*history.Store, error) {
	if f.store != nil {
		return f.store, nil
	}
	store, err := f.openHistory(ctx, history.Open)
	if err == nil {
		f.store = store
	}
	return store, err
}

// ReadHistory opens the history for reading, unless it is already open for writing.
// If there is none, it creates nothing and returns an empty store.
func (f *Factory) ReadHistory(ctx context.Context) (*history.Store, error) {
	if f.store != nil {
		return f.store, nil
	}
	return f.openHistory(ctx, history.OpenExisting)
}

// UnsavedHistory returns an empty history in memory.
func (f *Factory) UnsavedHistory(ctx context.Context) (*history.Store, error) {
	return f.openHistory(ctx, func(ctx context.Context, _ string) (*history.Store, error) { return history.OpenUnsaved(ctx) })
}

func (f *Factory) openHistory(ctx context.Context, open func(context.Context, string) (*history.Store, error)) (*history.Store, error) {
	paths, err := f.Paths()
	if err != nil {
		return nil, err
	}
	store, err := open(ctx, paths.DataDir)
	if err != nil {
		return nil, err
	}
	f.closes = append(f.closes, store.Close)
	return store, nil
}

// SelectedProfile returns the name of the profile from -p or HOBNOB_PROFILE, or "".
func (f *Factory) SelectedProfile() string {
	return cmp.Or(f.Global.Profile, f.Env("HOBNOB_PROFILE"))
}

// Profile returns the selected profile.
func (f *Factory) Profile() (config.Profile, error) {
	c, err := f.Config()
	if err != nil {
		return config.Profile{}, err
	}
	if f.Global.Replay != "" {
		return replayedProfile(f, c)
	}
	return c.ActiveProfile()
}

// ProfileOf returns the profile with a name, whichever is selected. For a profile
// that is no longer set up, only the name is set.
func (f *Factory) ProfileOf(name string) (config.Profile, error) {
	c, err := f.Config()
	if err != nil {
		return config.Profile{}, err
	}
	profile, err := c.Profile(name)
	if err != nil {
		return config.Profile{Name: name}, nil
	}
	return profile, nil
}

// NamedProfile returns the name of the profile from -p or HOBNOB_PROFILE, for
// commands that otherwise apply to all profiles, or "". If the profile is not set up
// and the history has no conversations of it, the error is a
// *config.UnknownProfileError.
func (f *Factory) NamedProfile(ctx context.Context, store *history.Store) (string, error) {
	given := f.SelectedProfile()
	if given == "" {
		return "", nil
	}
	c, err := f.Config()
	if err != nil {
		return "", err
	}
	name, _, err := c.Active()
	if !errors.As(err, new(*config.UnknownProfileError)) {
		return name, err
	}
	if all, lerr := store.All(ctx, given, true); lerr != nil || len(all) > 0 {
		return given, lerr
	}
	return "", err
}

// EditConfig changes the configuration file.
func (f *Factory) EditConfig(change func(*config.Document) error) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	return config.Edit(c.Path(), change)
}
