package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

const (
	spinnerDelay = 200 * time.Millisecond // a quick answer shows no spinner
	spinnerPace  = 100 * time.Millisecond
	plainDelay   = time.Second // before the one line that replaces the spinner

	eraseLine = "\r\x1b[K"
	// eraseBelow erases the rows onto which a narrower terminal has wrapped a frame.
	// The cursor is at its beginning, which such a terminal moves with it.
	eraseBelow = "\r\x1b[J"
)

var (
	brailleFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	asciiFrames   = []string{"|", "/", "-", `\`}
)

// Waiting describes a wait.
type Waiting struct {
	Label string
	Since time.Time // when it began; zero is now
	// Usual returns how long it usually takes, 0 if that is unknown. It is called
	// once, when something is shown, and may be nil.
	Usual func() time.Duration
}

// WaitFor shows the label and the elapsed seconds on stderr until stop is called: as a
// spinner, or as one plain line on a terminal that is dumb or has to be accessible, or
// not at all without a terminal. stop erases the spinner and returns when nothing more
// will be written; calling it again does nothing.
func (s *Streams) WaitFor(w Waiting) (stop func()) {
	if !s.ErrTTY {
		return func() {}
	}
	if w.Label = CleanLine(w.Label); w.Since.IsZero() {
		w.Since = time.Now()
	}
	if s.Accessible || s.Dumb {
		return inBackground(func(quit <-chan struct{}) { announce(s.Err, w, quit) })
	}
	return inBackground(func(quit <-chan struct{}) { spinner{s}.spin(w, quit) })
}

// inBackground runs fn in a goroutine until stop is called, which waits for its end
// and does nothing when called again.
func inBackground(fn func(quit <-chan struct{})) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		fn(quit)
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}

// spinner draws a wait.
type spinner struct{ *Streams }

func (p spinner) spin(w Waiting, quit <-chan struct{}) {
	pictures := asciiFrames
	if p.UTF8 {
		pictures = brailleFrames
	}
	usual, width, pause := "", 0, spinnerDelay
	for i := 0; ; i++ {
		select {
		case <-quit:
			if i > 0 {
				fmt.Fprint(p.Err, erase(width, p.Columns()))
			}
			return
		case <-time.After(pause):
			if i == 0 {
				usual = w.usually(" (usually %s)", shortly)
			}
			columns := p.Columns()
			frame := p.frame(pictures[i%len(pictures)], w.Label, elapsed(time.Since(w.Since)), usual, columns-1)
			fmt.Fprintf(p.Err, "%s%s\r", erase(width, columns), frame)
			width = ansi.StringWidth(frame)
			pause = spinnerPace
		}
	}
}

// frame fits the parts into a row: the label is shortened first, and the usual
// duration is dropped before less than half of the label is left.
func (p spinner) frame(picture, label, time, usual string, width int) string {
	room := width - ansi.StringWidth(picture+" "+" "+time)
	if rest := room - ansi.StringWidth(usual); 2*rest >= min(room, ansi.StringWidth(label)) {
		room = rest
	} else {
		usual = ""
	}
	return p.Truncate(picture+" "+p.Truncate(label, room)+" "+time+usual, width)
}

// erase removes a frame of some width from a terminal that now has columns.
func erase(width, columns int) string {
	if width > columns {
		return eraseBelow
	}
	return eraseLine
}

// announce writes nothing that would have to be erased.
func announce(out io.Writer, w Waiting, quit <-chan struct{}) {
	select {
	case <-quit:
	case <-time.After(plainDelay):
		fmt.Fprintln(out, w.Label+w.usually(", which usually takes %s", inWords))
	}
}

// usually formats the usual duration; the result is empty if it is unknown.
func (w Waiting) usually(format string, name func(time.Duration) string) string {
	if w.Usual != nil {
		if usual := w.Usual(); usual > 0 {
			return fmt.Sprintf(format, name(usual))
		}
	}
	return ""
}

func elapsed(d time.Duration) string {
	seconds := int(d / time.Second)
	if seconds < 60 {
		return fmt.Sprintf("%ds", seconds)
	}
	return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
}

// shortly formats a usual duration for the spinner.
func shortly(d time.Duration) string {
	if d < time.Second {
		return "under 1s"
	}
	return elapsed(d.Round(time.Second))
}

// inWords formats a usual duration for a screen reader.
func inWords(d time.Duration) string {
	if d < time.Second {
		return "less than a second"
	}
	count := func(n int, noun string) string {
		switch n {
		case 0:
			return ""
		case 1:
			return " 1 " + noun
		}
		return fmt.Sprintf(" %d %ss", n, noun)
	}
	seconds := int(d.Round(time.Second) / time.Second)
	return strings.TrimSpace(count(seconds/60, "minute") + count(seconds%60, "second"))
}
