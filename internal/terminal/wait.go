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
	spinnerDelay = 200 * time.Millisecond // a short wait shows no spinner
	spinnerPace  = 100 * time.Millisecond
	plainDelay   = time.Second // before the line that replaces the spinner

	eraseLine = "\r\x1b[K"
	// eraseBelow erases all rows of a frame that a narrower terminal has wrapped. The
	// cursor is at the beginning of the frame, and moves with it.
	eraseBelow = "\r\x1b[J"
)

var (
	brailleFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	asciiFrames   = []string{"|", "/", "-", `\`}
)

// Waiting describes a wait.
type Waiting struct {
	Label string
	Since time.Time // the start of the wait; zero means now
	// Usual returns the usual duration, or 0 if it is unknown. It is called once, when
	// the wait is first shown, and may be nil.
	Usual func() time.Duration
}

// WaitFor shows a spinner with the label and the elapsed seconds on stderr until stop is
// called. With Dumb or Accessible it writes one plain line instead, and without a terminal
// nothing. stop erases the spinner, and nothing is written after it returns; calling it
// again does nothing.
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

// inBackground runs fn in a goroutine. stop closes quit and waits for fn to return;
// calling it again does nothing.
func inBackground(fn func(quit <-chan struct{})) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		fn(quit)
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-done
	})
}

// spinner shows a wait as an animation.
type spinner struct{ *Streams }

func (p spinner) spin(w Waiting, quit <-chan struct{}) {
	symbols := asciiFrames
	if p.UTF8 {
		symbols = brailleFrames
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
				usual = w.usually(" (usually %s)", abbreviated)
			}
			columns := p.Columns()
			frame := p.frame(symbols[i%len(symbols)], w.Label, elapsed(time.Since(w.Since)), usual, columns-1)
			fmt.Fprintf(p.Err, "%s%s\r", erase(width, columns), frame)
			width = ansi.StringWidth(frame)
			pause = spinnerPace
		}
	}
}

// frame returns the parts as a line of at most width columns. It shortens the label first,
// and drops the usual duration rather than more than half of the label.
func (p spinner) frame(symbol, label, time, usual string, width int) string {
	room := width - ansi.StringWidth(symbol+" "+" "+time)
	if rest := room - ansi.StringWidth(usual); 2*rest >= min(room, ansi.StringWidth(label)) {
		room = rest
	} else {
		usual = ""
	}
	return p.Truncate(symbol+" "+p.Truncate(label, room)+" "+time+usual, width)
}

// erase returns the sequence that erases a frame of a width on a terminal that now has
// the given number of columns.
func erase(width, columns int) string {
	if width > columns {
		return eraseBelow
	}
	return eraseLine
}

// announce writes one line, which is not erased.
func announce(out io.Writer, w Waiting, quit <-chan struct{}) {
	select {
	case <-quit:
	case <-time.After(plainDelay):
		fmt.Fprintln(out, w.Label+w.usually(", which usually takes %s", inWords))
	}
}

// usually formats the usual duration. It returns "" if it is unknown.
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

// abbreviated formats a usual duration for the spinner.
func abbreviated(d time.Duration) string {
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
