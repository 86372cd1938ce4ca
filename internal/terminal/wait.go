package terminal

import (
	"fmt"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

const (
	spinnerDelay = 200 * time.Millisecond // a quick answer shows none
	spinnerPace  = 100 * time.Millisecond
	plainDelay   = time.Second // before the one line that replaces the spinner

	eraseLine = "\r\x1b[K"
	// eraseBelow erases the rows that a terminal made narrower has wrapped a frame
	// to. The cursor waits at its beginning, which such a terminal moves with it.
	eraseBelow = "\r\x1b[J"
)

var (
	brailleFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	asciiFrames   = []string{"|", "/", "-", `\`}
)

// Waiting is what is said of a wait.
type Waiting struct {
	Label string
	Since time.Time // when it began; zero is now
	// Usual returns how long it usually takes, 0 when nobody knows. It is called
	// once, when something is shown, and may be nil.
	Usual func() time.Duration
}

// Wait is WaitFor with a label alone.
func (s *Streams) Wait(label string) (stop func()) { return s.WaitFor(Waiting{Label: label}) }

// WaitFor shows what is waited for and the seconds since on stderr until stop is
// called: as a spinner, or as one plain line on a terminal that is dumb or to be
// accessible, or not at all without a terminal. stop erases the spinner and
// returns when nothing more will be written; calling it again does nothing.
func (s *Streams) WaitFor(w Waiting) (stop func()) {
	if !s.ErrTTY {
		return func() {}
	}
	if w.Label = CleanLine(w.Label); w.Since.IsZero() {
		w.Since = time.Now()
	}
	show := s.spin
	if s.Accessible || s.Dumb {
		show = s.announce
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		show(w, quit)
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}

func (s *Streams) spin(w Waiting, quit <-chan struct{}) {
	frames := asciiFrames
	if s.UTF8 {
		frames = brailleFrames
	}
	timer := time.NewTimer(spinnerDelay)
	defer timer.Stop()
	usual, width := "", 0
	for i := 0; ; i++ {
		select {
		case <-quit:
			if i > 0 {
				fmt.Fprint(s.Err, erase(width, s.Columns()))
			}
			return
		case <-timer.C:
			if i == 0 {
				usual = w.usually(" (usually %s)", shortly)
			}
			columns := s.Columns()
			frame := s.frame(frames[i%len(frames)], w.Label, elapsed(time.Since(w.Since)), usual, columns-1)
			fmt.Fprintf(s.Err, "%s%s\r", erase(width, columns), frame)
			width = ansi.StringWidth(frame)
			timer.Reset(spinnerPace)
		}
	}
}

// frame fits the parts into a row: the label gives way first, and what is usual
// goes before less than half of the label is left.
func (s *Streams) frame(picture, label, time, usual string, width int) string {
	room := width - ansi.StringWidth(picture+" "+" "+time)
	if rest := room - ansi.StringWidth(usual); 2*rest >= min(room, ansi.StringWidth(label)) {
		room = rest
	} else {
		usual = ""
	}
	return s.Truncate(picture+" "+s.Truncate(label, room)+" "+time+usual, width)
}

// erase removes a frame of some width from a terminal that now has columns.
func erase(width, columns int) string {
	if width > columns {
		return eraseBelow
	}
	return eraseLine
}

// announce writes nothing that would have to be erased.
func (s *Streams) announce(w Waiting, quit <-chan struct{}) {
	timer := time.NewTimer(plainDelay)
	defer timer.Stop()
	select {
	case <-quit:
	case <-timer.C:
		fmt.Fprintln(s.Err, w.Label+w.usually(", which usually takes %s", inWords))
	}
}

// usually fills the duration that is usual into a text, which is empty when
// nobody knows.
func (w Waiting) usually(format string, name func(time.Duration) string) string {
	if w.Usual == nil {
		return ""
	}
	usual := w.Usual()
	if usual <= 0 {
		return ""
	}
	return fmt.Sprintf(format, name(usual))
}

func elapsed(d time.Duration) string {
	seconds := int(d / time.Second)
	if seconds < 60 {
		return fmt.Sprintf("%ds", seconds)
	}
	return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
}

// shortly is a usual duration beside the seconds that count up.
func shortly(d time.Duration) string {
	if d < time.Second {
		return "under 1s"
	}
	return elapsed(d.Round(time.Second))
}

// inWords is a usual duration for who has it read aloud.
func inWords(d time.Duration) string {
	count := func(n int, noun string) string {
		if n != 1 {
			noun += "s"
		}
		return fmt.Sprintf("%d %s", n, noun)
	}
	seconds := int(d.Round(time.Second) / time.Second)
	switch {
	case d < time.Second:
		return "less than a second"
	case seconds < 60:
		return count(seconds, "second")
	case seconds%60 == 0:
		return count(seconds/60, "minute")
	}
	return count(seconds/60, "minute") + " " + count(seconds%60, "second")
}
