package cmd

import (
	"context"
	"sync"
	"time"

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
	name := first(e.profile.AgentName(agentID), e.profile.Name)
	w := terminal.Waiting{Label: doing + " " + name, Since: since}
	if store := e.asker.History; store != nil {
		w.Usual = func() time.Duration {
			bounded, cancel := context.WithTimeout(ctx, usualLimit)
			defer cancel()
			usual, ok, err := store.Usual(bounded, e.asker.Profile, agentID)
			if err != nil || !ok {
				return 0
			}
			return usual
		}
	}
	begun, end := time.Now(), e.f.waitFor(w)
	return func(err error) {
		interrupted := ctx.Err() != nil
		cancel()
		end()
		if !interrupted {
			e.f.notify(e.profile, name, time.Since(begun), err)
		}
	}
}

// notify tells of the end of a wait as the settings say. It is no note: who has
// set it wants it with --quiet and --json too.
func (f *Factory) notify(profile config.Profile, agent string, waited time.Duration, err error) {
	if waited < profile.NotifyAfter {
		return
	}
	text := agent + " has answered"
	if err != nil {
		text = "no answer from " + agent
	}
	f.IO.Notify(terminal.Notification(profile.Notify), "hobnob: "+text)
}

// wait is waitFor with a label alone.
func (f *Factory) wait(label string) (stop func()) {
	return f.waitFor(terminal.Waiting{Label: label})
}

// waitFor keeps what is typed off the screen and shows the spinner until the
// returned function is called. Requests shown by --verbose would be drawn over,
// so there is no spinner then.
func (f *Factory) waitFor(w terminal.Waiting) (stop func()) {
	if w.Since.IsZero() {
		w.Since = time.Now()
	}
	if w.Usual != nil {
		w.Usual = sync.OnceValue(w.Usual)
	}
	begin := func() (end func()) {
		restore, stop := f.IO.QuietInput(), func() {}
		if !f.Global.Quiet && !f.Global.Verbose {
			stop = f.IO.WaitFor(w)
		}
		return func() {
			stop()
			restore()
		}
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	current := begin()
	f.pause = func() func() {
		current()
		return func() { current = begin() }
	}
	return func() {
		f.writing.Lock()
		defer f.writing.Unlock()
		f.pause = nil
		current()
	}
}

// aside gives the terminal to another program, such as a token command that asks,
// until resume is called.
func (f *Factory) aside() (resume func()) {
	f.writing.Lock()
	again := func() {}
	if f.pause != nil {
		again = f.pause()
	}
	return func() {
		again()
		f.writing.Unlock()
	}
}
