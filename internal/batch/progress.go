package batch

import (
	"fmt"
	"sync"
	"time"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/duration"
)

// showProgress shows how far the run is until stop is called. It shows nothing on a
// terminal that also has the input or the results.
func (r *run) showProgress() (stop func()) {
	streams := r.Print.IO
	if streams.OutTTY && r.Output == "" || streams.InTTY && r.Input.file == streams.In {
		return func() {}
	}
	total := r.Input.size()
	return r.Print.Progress(func() cli.Progress {
		stats := r.count()
		p := cli.Progress{
			Count: stats.Answered + stats.unanswered(), Noun: "row", Failed: stats.unanswered(),
			Done: r.read.Load() - r.asking.Load(), Total: total,
		}
		if wait := r.limiter.pause(); wait >= time.Second {
			p.State = fmt.Sprintf("paused for %s", duration.Seconds(wait))
		}
		return p
	})
}

// pausing returns the function that reports when the service limits requests: the first
// time, and whenever it asks for a wait that is too long.
func (b *Batch) pausing() func(wait, asked time.Duration) {
	first := sync.OnceFunc(func() {
		b.Print.Note("the service limits the number of requests; sending as many as it accepts")
	})
	return func(wait, asked time.Duration) {
		first()
		if asked > wait {
			b.Print.Note("the service asked to wait %s; retrying in %s", duration.Seconds(asked), duration.Seconds(wait))
		}
	}
}
