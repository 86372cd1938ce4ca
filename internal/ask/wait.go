package ask

import (
	"cmp"
	"context"
	"time"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// usualLimit bounds the query for the usual duration, which runs while the question is
// in flight.
const usualLimit = 250 * time.Millisecond

// Wait shows a spinner for a wait that began at since or, if zero, begins now. Stop
// takes the error of the wait and removes the spinner. After a long wait it also
// notifies the user, if the settings ask for it.
func (a Asker) Wait(ctx context.Context, doing, agentID string, since time.Time) (stop func(err error)) {
	ctx, cancel := context.WithCancel(ctx)
	name := cmp.Or(a.Profile.AgentName(agentID), a.Profile.Name)
	w := terminal.Waiting{Label: doing + " " + name, Since: since}
	w.Usual = func() time.Duration {
		bounded, cancel := context.WithTimeout(ctx, usualLimit)
		defer cancel()
		usual, _, _ := a.Chat.History.Usual(bounded, a.Chat.Profile, agentID) // 0 if not known
		return usual
	}
	begun, end := time.Now(), a.f.Print.WaitFor(w)
	return func(err error) {
		interrupted := ctx.Err() != nil
		cancel()
		end()
		if interrupted || time.Since(begun) < a.Profile.NotifyAfter {
			return
		}
		text := name + " has answered"
		if err != nil {
			text = "no answer from " + name
		}
		// Notify instead of Note, because --quiet and --json suppress notes.
		a.f.Print.IO.Notify(terminal.Notification(a.Profile.Notify), "hobnob: "+text)
	}
}
