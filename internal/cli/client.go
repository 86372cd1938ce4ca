package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Tokens returns the sources of a profile's token and the key under which it is
// stored.
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
		Dir:         f.Passed.Dir,
		Variables:   f.Passed.Env,
		File:        filepath.Join(filepath.Dir(paths.ConfigFile), "tokens.json"),
		Stderr:      f.IO.Err,
		LockDir:     paths.StateDir,
		Refresh:     refresher(f, p),
	}
	if len(p.TokenCommand) > 0 {
		if problem := access.CheckTrusted(paths.ConfigFile); problem != nil {
			resolver.Untrusted = failure.New(failure.Auth, failure.Plain(problem.Fix), "token_command was not run: "+problem.Detail)
		}
	}
	if stdin, ok := f.IO.In.(*os.File); ok && f.IO.InTTY {
		resolver.Stdin = stdin
	}
	return resolver, credential.Key{Profile: p.Name, Origin: baseurl.Origin(base)}, nil
}

// Token returns the token of a profile, or the zero Token for the embedded service and
// for a replay, which need none.
func (f *Factory) Token(ctx context.Context, p config.Profile) (credential.Token, error) {
	if f.Global.Replay != "" || p.Embedded() {
		return credential.Token{}, nil
	}
	resolver, key, err := f.Tokens(p)
	if err != nil {
		return credential.Token{}, err
	}
	return sharedToken(f, resolver, key).Token(ctx)
}

// sharedToken returns the token for key, which all clients in this process share.
func sharedToken(f *Factory, resolver credential.Resolver, key credential.Key) *credential.Shared {
	if f.tokens[key] == nil {
		if f.tokens == nil {
			f.tokens = map[credential.Key]*credential.Shared{}
		}
		f.tokens[key] = credential.Share(f.Passed.Token, func(ctx context.Context, refused credential.Token) (credential.Token, error) {
			if len(resolver.Command) > 0 {
				defer f.Print.Aside()()
			}
			token, err := resolver.Renew(ctx, key, refused)
			return token, resolver.Explain(err, key)
		})
	}
	return f.tokens[key]
}

// Client returns a client of the profile's service. It connects and gets the token
// with the first request. If ephemeral, the embedded service stores nothing on disk.
func (f *Factory) Client(ctx context.Context, p config.Profile, ephemeral bool) (*api.Client, error) {
	if f.Global.Replay != "" {
		return f.replayClient(p)
	}
	options := f.ClientOptions(p)
	if err := f.record(&options, p); err != nil {
		return nil, err
	}
	if p.Embedded() {
		// The address is not used: the transport below calls the service directly.
		options.BaseURL, options.ConversationsPath, options.CAFile = "http://localhost", "", ""
		options.Transport = lazyTransport(sync.OnceValues(func() (http.RoundTripper, error) {
			handler, err := f.Service(ctx, service.Options{Client: localClient}, ephemeral)
			if err != nil {
				return nil, err
			}
			return service.Transport(handler), nil
		}))
		return api.New(options)
	}
	resolver, key, err := f.Tokens(p)
	if err != nil {
		return nil, err
	}
	shared := sharedToken(f, resolver, key)
	options.Token = func(ctx context.Context) (api.Token, error) {
		token, err := shared.Token(ctx)
		return api.Token{Secret: token.Reveal(), Renew: func(ctx context.Context) (string, error) {
			renewed, err := shared.Renew(ctx, token)
			return renewed.Reveal(), err
		}}, err
	}
	options.Refused = resolver.Given().Refused
	return api.New(options)
}

// ClientOptions returns the options of a client of the profile's service, without a
// token.
func (f *Factory) ClientOptions(p config.Profile) api.Options {
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
			f.Print.Note("%s; retrying in %s", ShortCause(w.Err), w.Delay.Round(100*time.Millisecond))
		},
	}
	if f.Global.Verbose {
		options.Log = func(line string) { fmt.Fprintln(f.IO.Err, terminal.CleanLine(line)) }
	}
	return options
}

// ShortCause returns the most specific part of an error of the client.
func ShortCause(err error) string {
	var e *api.Error
	if errors.As(err, &e) && e.Status != 0 {
		return fmt.Sprintf("the service answered %d %s", e.Status, http.StatusText(e.Status))
	}
	if e != nil && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// Version returns the version that the Go toolchain recorded: that of the installed
// module or the tag of the repository, or "devel".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// userAgent returns the User-Agent header in the form of RFC 9110 §10.1.5.
func userAgent() string {
	return fmt.Sprintf("hobnob/%s (%s; %s)", Version(), runtime.GOOS, runtime.GOARCH)
}
