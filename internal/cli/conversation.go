package cli

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// ExistingHistory opens the history for writing if there is one and creates
// nothing: where there is none yet the store is empty.
func (f *Factory) ExistingHistory(ctx context.Context) (*history.Store, error) {
	store, err := f.ReadHistory(ctx)
	if err != nil || !store.Saved() {
		return store, err
	}
	return f.History(ctx)
}

// Conversation finds what ref names, see history.Store.Resolve. An empty ref is
// the latest conversation of the selected profile.
func (f *Factory) Conversation(ctx context.Context, store *history.Store, ref string) (history.Conversation, error) {
	if ref != "" {
		return store.Resolve(ctx, ref)
	}
	profile, err := f.Profile()
	if err != nil {
		return history.Conversation{}, err
	}
	return store.Latest(ctx, profile.Name)
}
