package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// maxHits is how many hits /search shows.
const maxHits = 20

func runSearch(ctx context.Context, s *session, words string) error {
	store := s.ask.Chat.History
	profile, err := s.f.NamedProfile(ctx, store)
	if err != nil {
		return err
	}
	hits, err := store.Search(ctx, history.Query{Text: words, Profile: profile, Limit: maxHits})
	if err != nil {
		return err
	}
	return view.Hits(s.f.Print, hits)
}
