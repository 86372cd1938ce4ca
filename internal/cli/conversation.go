package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// ExistingHistory opens the history for writing. If there is none, it creates
// nothing and returns an empty store.
func (f *Factory) ExistingHistory(ctx context.Context) (*history.Store, error) {
	store, err := f.ReadHistory(ctx)
	if err != nil || !store.Saved() {
		return store, err
	}
	return f.History(ctx)
}

// Conversation returns the local conversation that ref names; see
// history.Store.Resolve. An empty ref is the latest conversation of the selected
// profile.
func (f *Factory) Conversation(ctx context.Context, store *history.Store, ref string) (history.Conversation, error) {
	if ref != "" {
		return store.Resolve(ctx, ref)
	}
	profile, _, err := HistoryProfile(ctx, f, store)
	if err != nil {
		return history.Conversation{}, err
	}
	return store.Latest(ctx, profile.Name)
}

// HistoryProfile returns the selected profile for a command that does not use the
// service. For a profile that is not set up but has conversations, only its name is
// set, and setUp is false.
func HistoryProfile(ctx context.Context, f *Factory, store *history.Store) (profile config.Profile, setUp bool, err error) {
	profile, err = f.Profile()
	if errors.As(err, new(*config.UnknownProfileError)) {
		if name, nerr := f.NamedProfile(ctx, store); nerr == nil && name != "" {
			return config.Profile{Name: name}, false, nil
		}
	}
	return profile, true, err
}

// FindConversation returns the conversation that ref names, like
// Factory.Conversation. If ref is empty, it prints a note with the latest
// conversation. If ref is not found, the error reports whether the service has it.
func FindConversation(ctx context.Context, f *Factory, store *history.Store, ref string) (history.Conversation, error) {
	c, err := f.Conversation(ctx, store, ref)
	if err == nil && ref == "" && !NoteSkipped(ctx, f, store, c) {
		f.Print.Note("latest conversation: %s %q", history.Short(c.ID), c.Title)
	}
	return c, ExplainMissing(ctx, f, store, err, "its text cannot be read back")
}

// NoteSkipped prints a note if a conversation without an answer was used after the
// latest one, because the user may mean that conversation. It reports whether there
// is one.
func NoteSkipped(ctx context.Context, f *Factory, store *history.Store, latest history.Conversation) bool {
	used, err := store.LastUsed(ctx, latest.Profile)
	if err != nil || used.ID == latest.ID {
		return false
	}
	short := history.Shorts(used.ID, latest.ID)
	f.Print.Note("latest conversation with an answer: %s %q; %s %q is newer and has none", short(latest.ID), latest.Title, short(used.ID), used.Title)
	return true
}

// NoteSameTitle prints a note if another conversation than but already has the title,
// because the title then is ambiguous.
func NoteSameTitle(ctx context.Context, f *Factory, store *history.Store, title, but string) {
	if same, err := store.SameTitle(ctx, title, but); err == nil && len(same) > 0 {
		f.Print.Note("the title %q is already used: %s", title, history.Choices(same))
	}
}

const (
	// missingTime is the time limit for searching the service for an id.
	missingTime = 5 * time.Second
	// missingLimit is the number of the service's conversations that are searched.
	missingLimit = 100
	// minServiceID is the minimum length of an id that is searched for.
	minServiceID = 4
)

// ExplainMissing replaces a *history.NotFoundError if the service lists the id;
// consequence is what follows from that for the command. It returns all other errors
// unchanged, also if the service does not answer.
func ExplainMissing(ctx context.Context, f *Factory, store *history.Store, err error, consequence string) error {
	var missing *history.NotFoundError
	if !errors.As(err, &missing) || len(missing.Trashed) > 0 || !isServiceID(missing.Ref) {
		return err
	}
	profile, perr := f.Profile()
	if perr != nil || profile.Embedded() && !store.Saved() { // creates no service.db for a failed search
		return err
	}
	profile.Retries = 0
	ctx, cancel := context.WithTimeout(ctx, missingTime)
	defer cancel()
	client, cerr := f.Client(ctx, profile, false)
	if cerr != nil {
		return err
	}
	defer f.Print.Wait("searching the service")()
	records, _ := client.Conversations(ctx, missingLimit)
	for _, r := range records {
		if strings.HasPrefix(strings.ToLower(r.ID), strings.ToLower(missing.Ref)) {
			return failure.New(failure.NotFound, failure.Hintf("to list its conversations: %s", failure.Run("hobnob conversations list --json")),
				"conversation "+r.ID+" is known only to the service; "+consequence)
		}
	}
	return err
}

// isServiceID reports whether ref may be an id of the service, or its beginning,
// rather than a mistyped title.
func isServiceID(ref string) bool {
	return len(ref) >= minServiceID && !strings.ContainsAny(ref, " \t\n") &&
		(strings.ContainsAny(ref, "0123456789") || strings.Trim(strings.ToLower(ref), "abcdef-") == "")
}
