package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// maxHits is the maximum number of hits that /search shows.
const maxHits = 20

func runSearch(ctx context.Context, s *session, words string) error {
	store := s.ask.Chat.History
	profile, err := s.f.NamedProfile(ctx, store)
	if err != nil {
		return err
	}
	hits, elsewhere, err := chat.Search(ctx, store, history.Query{Text: words, Profile: profile, Limit: maxHits})
	if err != nil {
		return err
	}
	return view.Hits(s.f.Print, hits, s.ask.Profile.Name, elsewhere)
}
