package ask

import (
	"cmp"
	"context"
	"time"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// usualLimit bounds the look into the history for what is usual, which runs while
// the question is on its way.
const usualLimit = 250 * time.Millisecond

// Wait shows that an agent is awaited, since then or, with a zero time, from now
// on. Stop ends that with the error of the wait; after one that was long enough it
// notifies a user who looks elsewhere, as the settings say.
func (a Asker) Wait(ctx context.Context, doing, agentID string, since time.Time) (stop func(err error)) {
	ctx, cancel := context.WithCancel(ctx)
	name := cmp.Or(a.Profile.AgentName(agentID), a.Profile.Name)
	w := terminal.Waiting{Label: doing + " " + name, Since: since}
	w.Usual = func() time.Duration {
		bounded, cancel := context.WithTimeout(ctx, usualLimit)
		defer cancel()
		usual, _, _ := a.Chat.History.Usual(bounded, a.Chat.Profile, agentID) // 0 where it is not known
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
		// No note: a user who set it wants it with --quiet and --json too.
		a.f.Print.IO.Notify(terminal.Notification(a.Profile.Notify), "hobnob: "+text)
	}
}
