package terminal

import (
	"fmt"
	"sync"
	"time"
)

const (
	spinnerDelay = 200 * time.Millisecond // a quick answer shows none
	spinnerPace  = 100 * time.Millisecond
	plainDelay   = time.Second // before the one line that replaces the spinner

	eraseLine = "\r\x1b[K"

	// besideLabel is the room that a frame, the spaces and the time take.
	besideLabel = len("* ") + len(" 999m59s") + 1
)

var (
	brailleFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	asciiFrames   = []string{"|", "/", "-", `\`}
)

// Wait shows label and the seconds since on stderr until stop is called: as a
// spinner, or as one plain line on a terminal that is dumb or to be accessible,
// or not at all without a terminal. stop erases the spinner and returns when
// nothing more will be written; calling it again does nothing.
func (s *Streams) Wait(label string) (stop func()) {
	if !s.ErrTTY {
		return func() {}
	}
	show := s.spin
	if s.Accessible || s.Dumb {
		show = s.announce
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		show(CleanLine(label), quit)
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}

func (s *Streams) spin(label string, quit <-chan struct{}) {
	label = s.truncate(label, s.columns()-besideLabel)
	frames := asciiFrames
	if s.UTF8 {
		frames = brailleFrames
	}
	start := time.Now()
	timer := time.NewTimer(spinnerDelay)
	defer timer.Stop()
	for i := 0; ; i++ {
		select {
		case <-quit:
			if i > 0 {
				fmt.Fprint(s.Err, eraseLine)
			}
			return
		case <-timer.C:
			fmt.Fprintf(s.Err, "%s%s %s %s", eraseLine, frames[i%len(frames)], label, elapsed(time.Since(start)))
			timer.Reset(spinnerPace)
		}
	}
}

// announce writes nothing that would have to be erased.
func (s *Streams) announce(label string, quit <-chan struct{}) {
	timer := time.NewTimer(plainDelay)
	defer timer.Stop()
	select {
	case <-quit:
	case <-timer.C:
		fmt.Fprintln(s.Err, label)
	}
}

func elapsed(d time.Duration) string {
	seconds := int(d / time.Second)
	if seconds < 60 {
		return fmt.Sprintf("%ds", seconds)
	}
	return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
}
