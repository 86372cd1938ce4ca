package repl

import (
	"context"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// latestConversations is how many /open lists.
const latestConversations = 10

func runOpen(ctx context.Context, s *session, ref string) error {
	if ref == "" {
		filter := history.Filter{Profile: s.ask.Profile.Name, Limit: latestConversations}
		listed, err := chat.List(ctx, s.ask.Chat.History, filter, nil, false)
		if err != nil {
			return err
		}
		return view.Conversations(s.f.Print, s.ask.Profile, listed)
	}
	found, err := s.ask.Chat.History.Find(ctx, ref)
	if err != nil {
		return err
	}
	head, ok, err := s.at.Open(ctx, found)
	switch {
	case err != nil:
		return err
	case !ok:
		s.f.Print.Note("no question of this conversation has an answer yet")
		return nil
	}
	return view.Conversation(s.f.Print, found, []history.Turn{head}, s.ask.Profile)
}

// completeConversation offers titles, and ids where the title is not one that can
// be typed.
func completeConversation(ctx context.Context, s *session, typed string) []lineedit.Candidate {
	found, err := s.ask.Chat.History.List(ctx, history.Filter{Profile: s.ask.Profile.Name, Limit: maxCandidates})
	if err != nil {
		return nil
	}
	var out []lineedit.Candidate
	seen := map[string]bool{}
	for _, c := range found {
		short := history.Short(c.ID)
		byID := typed != "" && strings.HasPrefix(short, typed)
		if byID || c.Title != terminal.CleanLine(c.Title) || c.Title == "" || seen[c.Title] {
			out = append(out, lineedit.Candidate{Value: short, Description: c.Title})
			continue
		}
		seen[c.Title] = true
		out = append(out, lineedit.Candidate{Value: c.Title, Description: short})
	}
	return out
}
