package cmd

import (
	"cmp"
	"context"
	"time"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// usualLimit bounds the look into the history for what is usual, which runs while
// the question is on its way.
const usualLimit = 250 * time.Millisecond

// wait shows that an agent is waited for, since then or, with a zero time, from
// now on. stop ends that and, after a wait that was long enough, tells who looks
// elsewhere; err is what the wait ended with.
func (e *exchange) wait(ctx context.Context, doing, agentID string, since time.Time) (stop func(err error)) {
	ctx, cancel := context.WithCancel(ctx)
	name := cmp.Or(e.profile.AgentName(agentID), e.profile.Name)
	w := terminal.Waiting{Label: doing + " " + name, Since: since}
	w.Usual = func() time.Duration {
		bounded, cancel := context.WithTimeout(ctx, usualLimit)
		defer cancel()
		usual, ok, err := e.asker.History.Usual(bounded, e.asker.Profile, agentID)
		if err != nil || !ok {
			return 0
		}
		return usual
	}
	begun, end := time.Now(), e.f.Print.WaitFor(w)
	return func(err error) {
		interrupted := ctx.Err() != nil
		cancel()
		end()
		if !interrupted {
			notify(e.f, e.profile, name, time.Since(begun), err)
		}
	}
}

// notify tells of the end of a wait as the settings say. It is no note: who has
// set it wants it with --quiet and --json too.
func notify(f *cli.Factory, profile config.Profile, agent string, waited time.Duration, err error) {
	if waited < profile.NotifyAfter {
		return
	}
	text := agent + " has answered"
	if err != nil {
		text = "no answer from " + agent
	}
	f.IO.Notify(terminal.Notification(profile.Notify), "hobnob: "+text)
}
