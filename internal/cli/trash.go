package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// localClient is the name of this client in the store of the embedded service.
const localClient = "local"

// Trash moves conversations to the trash or, if restore, out of it. The embedded
// service does not list conversations in the trash.
func Trash(ctx context.Context, f *Factory, store *history.Store, restore bool, ids []string) error {
	change := store.Delete
	if restore {
		change = store.Restore
	}
	if err := inEmbedded(ctx, f, store, ids, func(s *service.SQLiteStore, serviceIDs []string) error {
		return s.Hide(ctx, localClient, !restore, serviceIDs)
	}); err != nil {
		return err
	}
	return change(ctx, ids...)
}

// Prune removes conversations permanently, also from the embedded service, and
// returns their number; see history.Store.Prune. If the disk is full, it releases
// the reserve and tries again.
func Prune(ctx context.Context, f *Factory, p history.Pruning, ids []string) (removed int, err error) {
	paths, err := f.Paths()
	if err != nil {
		return 0, err
	}
	removed, err = prune(ctx, f, p, ids)
	if removed == 0 && errors.Is(err, sqlite.ErrFull) && history.ReleaseReserve(paths.DataDir) {
		removed, err = prune(ctx, f, p, ids)
	}
	return removed, err
}

func prune(ctx context.Context, f *Factory, p history.Pruning, ids []string) (removed int, err error) {
	store, err := f.History(ctx)
	if err != nil {
		return 0, err
	}
	if err := inEmbedded(ctx, f, store, ids, func(s *service.SQLiteStore, serviceIDs []string) error {
		return s.Remove(ctx, localClient, serviceIDs)
	}); err != nil {
		return 0, err
	}
	return store.Prune(ctx, p, ids...)
}

// inEmbedded calls change with the services' ids of the conversations, unless the
// embedded service was never used. It includes ids of other services, which are
// harmless, because all ids are random. If the history is not writable, it only
// returns the reason.
func inEmbedded(ctx context.Context, f *Factory, store *history.Store, ids []string, change func(*service.SQLiteStore, []string) error) error {
	if err := store.Writable(); err != nil {
		return err
	}
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	path := filepath.Join(paths.DataDir, service.FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var serviceIDs []string
	for _, id := range ids {
		more, err := store.Services(ctx, id)
		if err != nil {
			return err
		}
		serviceIDs = append(serviceIDs, more...)
	}
	if len(serviceIDs) == 0 {
		return nil
	}
	embedded, err := service.OpenSQLite(ctx, path)
	if err == nil {
		err = errors.Join(change(embedded, serviceIDs), embedded.Close())
	}
	if err != nil {
		return failure.WithHint(err, "nothing was changed; %s", serviceHint(err))
	}
	return nil
}
