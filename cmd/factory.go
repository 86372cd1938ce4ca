package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/docs"
	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Factory gives commands what they need. Nothing is opened before it is asked
// for; what was opened is closed by Close.
type Factory struct {
	IO     *terminal.Streams
	Env    config.Env
	Global GlobalFlags

	// Paths tells where the files are.
	Paths func() (config.Paths, error)
	// Config reads the configuration file.
	Config func() (*config.Config, error)
	// History opens the history for writing, creating it.
	History func(ctx context.Context) (*history.Store, error)
	// Interrupts sends each SIGINT to a channel until restore is called. Nil, in
	// tests, has none.
	Interrupts func() (interrupts <-chan os.Signal, restore func())

	flags  map[string]string
	store  *history.Store // open for writing, nil before History is called
	closes []func() error
	// pause stops the spinner while a line is written; it returns what starts
	// it again. Nil when none runs.
	pause   func() (resume func())
	wraps   bool       // lines of notes break between words
	writing sync.Mutex // guards pause and wraps: the embedded service notes from its own goroutine
}

func newFactory(streams *terminal.Streams, getenv config.Env) *Factory {
	env := func(key string) string {
		if value := getenv(key); value != "" || key != "HOME" || runtime.GOOS == "windows" {
			return value
		}
		// A service manager or a container may start hobnob without HOME.
		if u, err := user.Current(); err == nil {
			return u.HomeDir
		}
		return ""
	}
	f := &Factory{IO: streams, Env: env}
	f.Paths = sync.OnceValues(func() (config.Paths, error) {
		return config.FindPaths(env, runtime.GOOS, f.Global.Config)
	})
	f.Config = sync.OnceValues(func() (*config.Config, error) {
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		c, err := config.Load(config.Options{Path: paths.ConfigFile, Flags: f.flags, Env: env})
		if err != nil {
			return nil, err
		}
		for _, key := range c.Unknown() {
			f.note("%s has no setting %q; it is ignored", paths.ConfigFile, key)
		}
		return c, nil
	})
	f.History = func(ctx context.Context) (*history.Store, error) {
		if f.store != nil {
			return f.store, nil
		}
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		opened, err := history.Open(ctx, paths.DataDir)
		if err != nil {
			return nil, err
		}
		f.closes = append(f.closes, opened.Close)
		f.store = opened
		return opened, nil
	}
	return f
}

// createsConfig marks the commands for which the file of --config need not exist.
const createsConfig = "creates-config"

// begin is called when the command line is parsed and before a command runs.
func (f *Factory) begin(cmd *cobra.Command) error {
	f.flags = settingFlags(cmd)
	if _, creates := cmd.Annotations[createsConfig]; f.Global.Config != "" && !creates {
		if _, err := os.Stat(f.Global.Config); err != nil {
			return usagef("a new one is made by hobnob login or hobnob config set", "--config: %v", err)
		}
	}
	if f.Global.NoColor {
		f.IO.DisableColor()
	}
	return nil
}

// Close closes what was opened.
func (f *Factory) Close() error {
	var errs []error
	for i := len(f.closes) - 1; i >= 0; i-- {
		errs = append(errs, f.closes[i]())
	}
	f.closes = nil
	return errors.Join(errs...)
}

// ReadHistory opens the history for reading, unless it is open for writing
// already, and creates nothing; with no history yet the store is nil.
func (f *Factory) ReadHistory(ctx context.Context) (*history.Store, error) {
	if f.store != nil {
		return f.store, nil
	}
	paths, err := f.Paths()
	if err != nil {
		return nil, err
	}
	store, err := history.OpenExisting(ctx, paths.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f.closes = append(f.closes, store.Close)
	return store, nil
}

// Profile returns the selected profile.
func (f *Factory) Profile() (config.Profile, error) {
	c, err := f.Config()
	if err != nil {
		return config.Profile{}, err
	}
	return c.ActiveProfile()
}

// Tokens returns where the token of a profile is, and the key it is bound to.
func (f *Factory) Tokens(p config.Profile) (credential.Resolver, credential.Key, error) {
	paths, err := f.Paths()
	if err != nil {
		return credential.Resolver{}, credential.Key{}, err
	}
	base, err := baseurl.Parse(p.BaseURL, p.AllowInsecureHTTP)
	if err != nil {
		return credential.Resolver{}, credential.Key{}, err
	}
	resolver := credential.Resolver{
		Environment: f.Env("HOBNOB_TOKEN"),
		Command:     p.TokenCommand,
		File:        filepath.Join(filepath.Dir(paths.ConfigFile), "tokens.json"),
		Stderr:      f.IO.Err,
	}
	if stdin, ok := f.IO.In.(*os.File); ok && f.IO.InTTY {
		resolver.Stdin = stdin
	}
	return resolver, credential.Key{Profile: p.Name, Origin: baseurl.Origin(base)}, nil
}

// Client returns a client for the service of the profile; nothing is dialled
// and no token is looked up before the first request. With ephemeral the
// embedded service keeps nothing on disk.
func (f *Factory) Client(ctx context.Context, p config.Profile, ephemeral bool) (*api.Client, error) {
	if p.Embedded() {
		options := f.clientOptions(p)
		// Nothing is dialled: the transport below takes the place of the network.
		options.BaseURL, options.ConversationsPath, options.CAFile = "http://localhost", "", ""
		options.Transport = &lazyTransport{open: func() (http.RoundTripper, error) { return f.embedded(ctx, ephemeral) }}
		return api.New(options)
	}
	resolver, key, err := f.Tokens(p)
	if err != nil {
		return nil, err
	}
	options := f.clientOptions(p)
	options.Token = func(ctx context.Context) (string, error) {
		if len(resolver.Command) > 0 {
			defer f.aside()()
		}
		token, err := resolver.Token(ctx, key)
		return token.Reveal(), noToken(err, resolver, key)
	}
	return api.New(options)
}

// clientWithToken is Client with a token that is not stored yet.
func (f *Factory) clientWithToken(p config.Profile, token string) (*api.Client, error) {
	options := f.clientOptions(p)
	options.Token = func(context.Context) (string, error) { return token, nil }
	return api.New(options)
}

func (f *Factory) clientOptions(p config.Profile) api.Options {
	options := api.Options{
		BaseURL:           p.BaseURL,
		AllowInsecureHTTP: p.AllowInsecureHTTP,
		ConversationsPath: p.ConversationsPath,
		CAFile:            p.CAFile,
		Timeout:           p.Timeout,
		Retries:           p.Retries,
		IdempotencyKeys:   p.IdempotencyKey,
		UserAgent:         userAgent(),
		OnWait: func(w api.Wait) {
			f.note("%s; trying again in %s", shortCause(w.Err), w.Delay.Round(100*time.Millisecond))
		},
	}
	if f.Global.Verbose {
		options.Log = func(line string) { fmt.Fprintln(f.IO.Err, terminal.CleanLine(line)) }
	}
	return options
}

// noToken says for which profile and origin there is no token, and which one no
// header can carry.
func noToken(err error, r credential.Resolver, key credential.Key) error {
	if source := givenSource(r.Environment, r.Command); errors.Is(err, credential.ErrInvalid) && source != "" {
		return &hintError{err: err, hint: tokenFix(source)}
	}
	if errors.Is(err, credential.ErrNoToken) {
		return fmt.Errorf("%w for profile %q at %s", err, key.Profile, key.Origin)
	}
	return err
}

// embedded starts the service inside the process.
func (f *Factory) embedded(ctx context.Context, ephemeral bool) (http.RoundTripper, error) {
	handler, err := f.Service(ctx, service.Options{Client: "local"}, ephemeral)
	if err != nil {
		return nil, err
	}
	return service.Transport(handler), nil
}

// serviceFile is the database of the embedded service, in the data directory.
const serviceFile = "service.db"

// Service returns the handler of the embedded service, with a store and the
// agents added to the options.
func (f *Factory) Service(ctx context.Context, options service.Options, ephemeral bool) (http.Handler, error) {
	path := sqlite.Memory
	if !ephemeral {
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(paths.DataDir, serviceFile)
	}
	store, err := service.OpenSQLite(ctx, path)
	if err != nil && options.Token == "" && ctx.Err() == nil {
		// The guide must answer even where nothing can be stored.
		f.warn("%v; the built-in service forgets what it lists; to mend it: hobnob doctor", err)
		store, err = service.OpenSQLite(ctx, sqlite.Memory)
	}
	if err != nil {
		return nil, &hintError{err: err, hint: "to mend it: hobnob doctor"}
	}
	f.closes = append(f.closes, store.Close)
	manual, err := fs.Sub(docs.Guide, "guide")
	if err != nil {
		return nil, err
	}
	guide, err := agent.NewGuide(manual)
	if err != nil {
		return nil, err
	}
	options.Store = store
	options.Agents = []service.Agent{
		{ID: config.GuideAgent, Name: "guide", Agent: guide},
		{ID: config.EchoAgent, Name: "echo", Agent: agent.NewEcho()},
	}
	options.Report = func(err error) {
		if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, sqlite.ErrReadOnly) {
			err = fmt.Errorf("%w; to mend %s: hobnob doctor", err, path)
		}
		f.note("the embedded service: %v", err)
	}
	return service.New(options), nil
}

// lazyTransport makes its transport at the first request.
type lazyTransport struct {
	open func() (http.RoundTripper, error)
	once sync.Once
	next http.RoundTripper
	err  error
}

func (t *lazyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.once.Do(func() { t.next, t.err = t.open() })
	if t.err != nil {
		return nil, t.err
	}
	return t.next.RoundTrip(r)
}

// note tells the user something on stderr that is no error. With --json stderr
// is for the one document of a failure.
func (f *Factory) note(format string, args ...any) {
	if !f.Global.Quiet {
		f.line("note", fmt.Sprintf(format, args...))
	}
}

// line writes one line to stderr, cleaned, around the spinner.
func (f *Factory) line(word, text string) {
	if f.Global.JSON {
		return
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	if f.pause != nil {
		defer f.pause()()
	}
	text = fmt.Sprintf("hobnob: %s: %s", word, f.IO.CleanLine(f.inProfile(text)))
	if f.wraps && f.IO.ErrTTY {
		text = terminal.Wrap(text, f.IO.Columns(), 0)
	}
	fmt.Fprintln(f.IO.Err, text)
}

// wrapLines makes the lines of notes break between words from now on.
func (f *Factory) wrapLines() {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.wraps = true
}

// warn tells the user something that even --quiet must not hide.
func (f *Factory) warn(format string, args ...any) {
	f.line("warning", fmt.Sprintf(format, args...))
}

// shortCause is the telling end of an error of the client.
func shortCause(err error) string {
	var e *api.Error
	if errors.As(err, &e) && e.Status != 0 {
		return fmt.Sprintf("the service answered %d %s", e.Status, http.StatusText(e.Status))
	}
	if e != nil && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
