package repl

import (
	"context"
	"errors"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/picker"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// latestConversations is the number of conversations that /open lists if it shows no
// list to choose from.
const latestConversations = 10

func runOpen(ctx context.Context, s *session, ref string) error {
	var found history.Conversation
	var err error
	switch {
	case ref != "":
		found, err = s.ask.Chat.History.Find(ctx, ref)
	case s.lines.editor.Rich():
		found, err = picker.Picker{IO: s.f.IO, Store: s.ask.Chat.History, Profile: s.ask.Profile.Name}.Choose(ctx)
	default:
		return listLatest(ctx, s)
	}
	switch {
	case errors.Is(err, picker.ErrCancelled), errors.Is(err, picker.ErrInterrupted):
		return nil
	case ref == "" && errors.As(err, new(*history.NotFoundError)):
		return listLatest(ctx, s)
	case err != nil:
		return err
	}
	head, ok, err := s.at.Open(ctx, found)
	if err != nil {
		return err
	}
	_, change, err := ask.ChangedInstructions(ctx, s.ask.Chat.History, s.ask.Profile, found, s.at.agent())
	if err != nil {
		return err
	}
	defer s.noteChange(change)
	if !ok {
		s.f.Print.Note("this conversation has no answers yet")
		return nil
	}
	return view.Conversation(s.f.Print, history.Tree{Conversation: found, Turns: []history.Turn{head}}, s.ask.Profile)
}

// listLatest prints the latest conversations.
func listLatest(ctx context.Context, s *session) error {
	filter := history.Filter{Profile: s.ask.Profile.Name, Limit: latestConversations}
	listed, err := chat.List(ctx, s.ask.Chat.History, filter, nil)
	if err != nil {
		return err
	}
	if len(listed) == 0 {
		counts, err := s.ask.Chat.History.RoughProfiles(ctx, false)
		s.f.Print.Note("%s", view.NoConversations(s.ask.Profile.Name, counts))
		return err
	}
	return view.Conversations(s.f.Print, func(string) config.Profile { return s.ask.Profile }, listed, false)
}

// completeConversation completes titles, or ids of conversations whose title cannot
// be typed or is not unique.
func completeConversation(ctx context.Context, s *session, typed string) []lineedit.Candidate {
	found, err := s.ask.Chat.History.List(ctx, history.Filter{Profile: s.ask.Profile.Name, Limit: maxCandidates})
	if err != nil {
		return nil
	}
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	var out []lineedit.Candidate
	seen, shorts := map[string]bool{}, history.Shorts(ids...)
	for _, c := range found {
		short := shorts(c.ID)
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
