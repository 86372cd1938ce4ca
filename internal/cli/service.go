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

// Service returns the handler of the embedded service, with a store and the
// agents added to the options.
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
		// The guide must answer even where nothing can be stored.
		f.Print.Warn("%v; the built-in service forgets what it lists; to mend it: hobnob doctor", err)
		store, err = service.OpenSQLite(ctx, sqlite.Memory)
	}
	if err != nil {
		return nil, failure.WithHint(err, "to mend it: hobnob doctor")
	}
	f.closes = append(f.closes, store.Close)
	options.Store = store
	if options.Agents, err = service.Builtin(); err != nil {
		return nil, err
	}
	options.Report = func(err error) {
		if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, sqlite.ErrReadOnly) {
			err = fmt.Errorf("%w; to mend %s: hobnob doctor", err, path)
		}
		f.Print.Note("the embedded service: %v", err)
	}
	return service.New(options), nil
}

// lazyTransport returns its transport at the first request.
type lazyTransport func() (http.RoundTripper, error)

func (open lazyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	transport, err := open()
	if err != nil {
		return nil, err
	}
	return transport.RoundTrip(r)
}
