package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// progressNotes is the time between two notes about the progress.
const progressNotes = 10 * time.Second

// Progress describes how far a task is.
type Progress = terminal.Progress

// Progress shows how far a task is until stop is called: a bar on a terminal, or else a
// note every ten seconds.
func (p *Printer) Progress(now func() Progress) (stop func()) {
	if p.flags.Quiet || p.flags.JSON {
		return func() {}
	}
	meter := terminal.NewMeter(now)
	if p.IO.ErrTTY && !p.IO.Dumb && !p.IO.Accessible && !p.flags.Verbose {
		return animate(p, func() (stop func()) { return meter.Show(p.IO) })
	}
	ticker, quit := time.NewTicker(progressNotes), make(chan struct{})
	var noting sync.WaitGroup
	noting.Go(func() {
		for {
			select {
			case <-ticker.C:
				progress, text := meter.Read()
				if percent, known := progress.Percent(); known {
					text = fmt.Sprintf("%d%%, %s", percent, text)
				}
				p.Note("%s", text)
			case <-quit:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		ticker.Stop()
		close(quit)
		noting.Wait()
	})
}
