package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

// titled returns the conversations whose title is ref in any letter case and that match
// where. The index of titles also ignores accents, so its results are filtered.
func (s *Store) titled(ctx context.Context, ref, where string) ([]Conversation, error) {
	words := needle{}
	for _, t := range terms(ref) {
		words.terms = append(words.terms, t.text)
	}
	if len(words.terms) == 0 { // ref has no letters
		return nil, nil
	}
	found, err := s.conversations(ctx, `JOIN titles_index i ON i.rowid = c.rowid WHERE titles_index MATCH ? AND length(c.title) = ? AND `+where+` ORDER BY c.updated DESC`,
		match([]needle{words}, nil), utf8.RuneCountInString(ref))
	found = slices.DeleteFunc(found, func(c Conversation) bool { return !strings.EqualFold(c.Title, ref) })
	return found[:min(len(found), maxMatches+1)], err
}

// SameTitle returns conversations with exactly this title, most recently used first,
// without those in the trash and the one with the id except.
func (s *Store) SameTitle(ctx context.Context, title, except string) ([]Conversation, error) {
	return s.conversations(ctx, `WHERE c.title = ? AND c.id <> ? AND c.deleted IS NULL ORDER BY c.updated DESC LIMIT ?`, title, except, maxMatches+1)
}

// AmbiguousError reports that Ref matches several conversations.
type AmbiguousError struct {
	Ref     string
	Matches []Conversation // one more than are listed, if there are more
}

func (e *AmbiguousError) Error() string {
	if len(e.Matches) > maxMatches {
		return fmt.Sprintf("%q matches more than %d conversations", e.Ref, maxMatches)
	}
	return fmt.Sprintf("%q matches %d conversations", e.Ref, len(e.Matches))
}

// Failure implements failure.Explainer.
func (e *AmbiguousError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Plain("use one of these ids: " + Choices(e.Matches))}
}

// Choices lists conversations to choose from, each with its id, last use and number of
// turns.
func Choices(conversations []Conversation) string {
	shown, ids := conversations[:min(len(conversations), maxMatches)], make([]string, len(conversations))
	for i, c := range conversations {
		ids[i] = c.ID
	}
	short, out := Shorts(ids...), make([]string, 0, len(shown)+1)
	for _, c := range shown {
		out = append(out, fmt.Sprintf("%s (%s, %s)", short(c.ID), c.Updated.Local().Format("2006-01-02 15:04"), plural.Count(c.Turns, "turn")))
	}
	if len(conversations) > len(shown) {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
