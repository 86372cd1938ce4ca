package ask

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// usualLimit bounds the query for the usual duration, which runs while the question is
// in flight.
const usualLimit = time.Second

// Wait shows a spinner for a wait for agents that began at since or, if zero, begins now.
// Stop takes the error of the wait and removes the spinner. After a long wait it also
// notifies the user, if the settings ask for it.
func (a Asker) Wait(ctx context.Context, doing string, since time.Time, agentIDs ...string) (stop func(err error)) {
	ctx, cancel := context.WithCancel(ctx)
	names := make([]string, len(agentIDs))
	for i, id := range agentIDs {
		names[i] = cmp.Or(a.Profile.AgentName(id), a.Profile.Name)
	}
	name, have := strings.Join(names, ", "), "has"
	if len(names) > 1 {
		have = "have"
	}
	w := terminal.Waiting{Label: doing + " " + name, Since: since}
	w.Usual = func() (longest time.Duration) {
		bounded, cancel := context.WithTimeout(ctx, usualLimit)
		defer cancel()
		for _, id := range agentIDs {
			usual, _, _ := a.Chat.History.Usual(bounded, a.Chat.Profile, id) // 0 if not known
			longest = max(longest, usual)
		}
		return longest
	}
	begun, end := time.Now(), a.f.Print.WaitFor(w)
	return func(err error) {
		interrupted := ctx.Err() != nil
		cancel()
		end()
		if interrupted || time.Since(begun) < a.Profile.NotifyAfter {
			return
		}
		text := name + " " + have + " answered"
		switch {
		case err != nil && len(names) > 1:
			text = "not all of " + name + " have answered"
		case err != nil:
			text = "no answer from " + name
		}
		// Notify instead of Note, because --quiet and --json suppress notes.
		a.f.Print.IO.Notify(terminal.Notification(a.Profile.Notify), "hobnob: "+text)
	}
}
