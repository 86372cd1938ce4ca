package cli

import (
	"context"
	"errors"
	"os"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/picker"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// PickConversation lets the user choose a conversation of the selected profile, or with
// deleted one in the trash, from a list on the terminal. It also works if stdin and
// stdout are redirected.
func PickConversation(ctx context.Context, f *Factory, deleted bool) (history.Conversation, error) {
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return history.Conversation{}, err
	}
	profile, _, err := HistoryProfile(ctx, f, store)
	if err != nil {
		return history.Conversation{}, err
	}
	c, err := picker.Picker{IO: f.IO, Store: store, Profile: profile.Name, Deleted: deleted}.Choose(ctx)
	switch {
	case errors.Is(err, terminal.ErrNoTerminal):
		err = failure.Usagef("name the conversation: an id or a title", "cannot choose a conversation: no terminal")
	case errors.Is(err, picker.ErrInterrupted):
		err = &InterruptedError{Signal: &SignalError{Signal: os.Interrupt}, Err: err}
	}
	return c, err
}
