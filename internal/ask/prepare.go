package ask

import (
	"cmp"
	"context"
	"math"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Setup holds what a question continues and how it is asked.
type Setup struct {
	chat.Selection
	Options
	Agent string // alias or UUID from the command line, or ""
	Title string // of a new conversation
	// Instructions are from the command line, empty for none. Nil are those of the
	// conversation or, for a new one and with UpdateInstructions, of its agent.
	Instructions       *string
	UpdateInstructions bool
	Limits             *chat.Limits // nil for the limits of the profile
	Save               bool         // save the question in the history
	DryRun             bool         // send and write nothing
}

// Prepare finds the place of a question and returns an Asker and the question. Its text
// is empty unless an earlier question is asked again or edited. Prepare sends and
// records nothing.
func Prepare(ctx context.Context, f *cli.Factory, profile config.Profile, s Setup) (asker Asker, question chat.Question, err error) {
	store, err := s.openHistory(ctx, f)
	if err != nil {
		return asker, question, err
	}
	s.Profile = profile.Name
	_, s.AnyProfile = f.Settings[config.ProfileKey]
	place, err := s.Find(ctx, store)
	if err != nil {
		return asker, question, cli.ExplainMissing(ctx, f, store, err, "its text cannot be read back")
	}
	if c := place.Conversation; s.Latest && !s.Again && c != nil {
		cli.NoteSkipped(ctx, f, store, *c)
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
	if c := place.Conversation; c != nil && s.At == "" && s.EditTurn == "" && !s.Again {
		if last, ok, err := store.LastUnanswered(ctx, *c); err == nil && ok {
			f.Print.Note("the last question has no answer (%s) and is omitted from the context: %s", last.State, history.TitleOf(last.Question))
		}
	}
	if question.Instructions, err = s.instructions(ctx, f, store, profile, question); err != nil {
		return asker, question, err
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

// New returns an Asker for the answers of a profile. To ask questions, it also needs
// a client: see With.
func New(f *cli.Factory, profile config.Profile, store *history.Store, options Options) Asker {
	return Asker{
		Options: options, Profile: profile, f: f,
		Chat: chat.Asker{History: store, Profile: profile.Name, Lifetime: chat.Lifetime(profile.Timeout, profile.Retries)},
	}
}

// With returns a copy of a that sends its questions with client.
func (a Asker) With(client *api.Client) Asker {
	a.client, a.Chat.Client = client, client
	return a
}

// LimitsOf returns the context limits in the settings of a profile.
func LimitsOf(profile config.Profile) chat.Limits {
	return chat.Limits{Turns: profile.ContextTurns, Tokens: profile.ContextTokens}
}

// FileBudget returns the limit of the files that are found for a question to one or more
// agents: what the instructions leave of history.context_tokens.
func (a Asker) FileBudget(ctx context.Context, questions ...chat.Question) (attach.Budget, error) {
	if a.Profile.ContextTokens <= 0 {
		return attach.Budget{}, nil
	}
	budget := attach.Budget{Bytes: math.MaxInt64, Setting: "history.context_tokens"}
	for _, question := range questions {
		perToken, err := a.Chat.BytesPerToken(ctx, question.AgentID)
		if err != nil {
			return budget, err
		}
		instructions, err := a.Chat.Instructions(ctx, question)
		if err != nil {
			return budget, err
		}
		budget.Bytes = min(budget.Bytes, int64(float64(a.Profile.ContextTokens)*perToken)-int64(len(instructions.Text)))
	}
	return budget, nil
}

// openHistory opens the history for writing if the question will be recorded, and
// otherwise for reading or in memory. The error of opening it for writing is a
// *chat.JournalError.
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

// agentOf returns the agent that the user named, otherwise that of the conversation,
// otherwise that of the profile.
func agentOf(profile config.Profile, named string, c *history.Conversation) (string, error) {
	if named == "" && c != nil && c.Profile == profile.Name && c.AgentID != "" {
		return c.AgentID, nil
	}
	return profile.AgentID(cmp.Or(named, profile.Agent))
}

// isUnconfigured reports whether the embedded service is active only because no other
// profile is configured.
func isUnconfigured(f *cli.Factory) bool {
	c, err := f.Config()
	if err != nil {
		return false
	}
	name, source, err := c.Active()
	return err == nil && name == config.Local && source.Kind == "default" && f.Global.Replay == ""
}
