package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Service returns the handler of the embedded service. It adds a store and the
// built-in agents to the options.
func (f *Factory) Service(ctx context.Context, options service.Options, ephemeral bool) (http.Handler, error) {
	path := sqlite.Memory
	if !ephemeral {
		paths, err := f.Paths()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(paths.DataDir, service.FileName)
	}
	store, err := service.OpenSQLite(ctx, path)
	if err != nil && options.Token == "" && ctx.Err() == nil {
		// The guide must answer even if nothing can be stored.
		f.Print.Warn("%v; the built-in service will not list these conversations; %s", err, serviceHint(err))
		store, err = service.OpenSQLite(ctx, sqlite.Memory)
	}
	if err != nil {
		return nil, failure.WithHint(err, "%s", serviceHint(err))
	}
	f.closes = append(f.closes, store.Close)
	options.Store = store
	if options.Agents, err = service.Builtin(); err != nil {
		return nil, err
	}
	options.Report = func(err error) {
		if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, sqlite.ErrReadOnly) {
			err = fmt.Errorf("%w; to repair %s: hobnob doctor", err, path)
		}
		f.Print.Note("the built-in service: %v", err)
	}
	return service.New(options), nil
}

// serviceHint returns the hint of an error of the embedded service's database.
func serviceHint(err error) failure.Hint {
	if errors.As(err, new(*sqlite.NewerError)) || errors.Is(err, sqlite.ErrFull) || errors.Is(err, sqlite.ErrBusy) {
		return failure.Of(err).Hint
	}
	return failure.Plain("to repair it: hobnob doctor")
}

// lazyTransport is an http.RoundTripper that creates its transport when it is first
// used.
type lazyTransport func() (http.RoundTripper, error)

func (open lazyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	transport, err := open()
	if err != nil {
		return nil, err
	}
	return transport.RoundTrip(r)
}
