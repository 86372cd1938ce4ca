package ask

import (
	"cmp"
	"context"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Setup says what a question continues and how it is asked.
type Setup struct {
	chat.Selection
	Options
	Agent  string       // alias or UUID that the user named, or ""
	Title  string       // of a new conversation
	Limits *chat.Limits // nil takes those of the profile
	Save   bool         // the question goes into the history
	DryRun bool         // nothing is sent or written
}

// Prepare finds what a question continues, and returns who asks it and the
// question, with no text but that of the one to ask again or to edit. Nothing is
// sent or recorded yet.
func Prepare(ctx context.Context, f *cli.Factory, profile config.Profile, s Setup) (asker Asker, question chat.Question, err error) {
	store, err := s.openHistory(ctx, f)
	if err != nil {
		return asker, question, err
	}
	s.Profile = profile.Name
	_, s.AnyProfile = f.Settings[config.ProfileKey]
	place, err := s.Find(ctx, store)
	if err != nil {
		return asker, question, err
	}
	question = chat.Question{
		Text: place.Text, Conversation: place.Conversation, Parent: place.Parent, Title: s.Title,
		Context: LimitsOf(profile),
	}
	if s.Limits != nil {
		question.Context = *s.Limits
	}
	if question.AgentID, err = agentOf(profile, s.Agent, place.Conversation); err != nil {
		return asker, question, err
	}
	if c := place.Conversation; c != nil && s.At == "" && s.Edit == "" && !s.Again {
		if last, ok, err := store.LastUnanswered(ctx, *c); err == nil && ok {
			f.Print.Note("the last question of this conversation has no answer (%s) and is left out: %s", last.State, history.TitleOf(last.Question))
		}
	}
	client, err := f.Client(ctx, profile, !s.Save)
	if err != nil {
		return asker, question, err
	}
	asker = New(f, profile, store, s.Options).With(client)
	if !s.Save && !s.DryRun && !s.IsNew() {
		memory, err := f.UnsavedHistory(ctx)
		if err == nil {
			question, err = asker.Chat.Unsaved(ctx, question, memory)
		}
		return asker, question, err
	}
	return asker, question, nil
}

// New returns what shows the answers of a profile; With a client it also asks.
func New(f *cli.Factory, profile config.Profile, store *history.Store, options Options) Asker {
	return Asker{
		Options: options, Profile: profile, f: f,
		Chat: chat.Asker{History: store, Profile: profile.Name, Lifetime: chat.Lifetime(profile.Timeout, profile.Retries)},
	}
}

// With returns the asker that sends its questions through the client.
func (a Asker) With(client *api.Client) Asker {
	a.client, a.Chat.Client = client, client
	return a
}

// LimitsOf returns what the settings of a profile allow as context.
func LimitsOf(profile config.Profile) chat.Limits {
	return chat.Limits{Turns: profile.ContextTurns, Tokens: profile.ContextTokens}
}

// openHistory opens the history for writing when something will be recorded, with
// errors that are *chat.JournalError, and else what is needed to find the place.
func (s Setup) openHistory(ctx context.Context, f *cli.Factory) (*history.Store, error) {
	switch {
	case s.IsNew() && (s.DryRun || !s.Save):
		return f.UnsavedHistory(ctx)
	case s.DryRun || !s.Save:
		return f.ReadHistory(ctx)
	}
	store, err := f.History(ctx)
	if err == nil {
		err = store.Writable()
	}
	if err != nil {
		return nil, &chat.JournalError{Err: err}
	}
	return store, nil
}

// agentOf returns the agent that the user named, else the conversation's own, else
// the profile's.
func agentOf(profile config.Profile, named string, c *history.Conversation) (string, error) {
	if named == "" && c != nil && c.Profile == profile.Name && c.AgentID != "" {
		return c.AgentID, nil
	}
	return profile.AgentID(cmp.Or(named, profile.Agent))
}

// Preview returns the request that a question would send, and what is wrong with it.
func (a Asker) Preview(ctx context.Context, question chat.Question) (api.Request, api.Preview, error) {
	plan, err := a.Chat.Plan(ctx, question)
	if err != nil {
		return api.Request{}, api.Preview{}, err
	}
	preview, err := a.client.Preview(plan.Request)
	return plan.Request, preview, err
}

// isUnconfigured reports whether the embedded service was not chosen but is all
// there is.
func isUnconfigured(f *cli.Factory) bool {
	c, err := f.Config()
	if err != nil {
		return false
	}
	name, source, err := c.Active()
	return err == nil && name == config.Local && source.Kind == "default"
}
