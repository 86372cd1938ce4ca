package terminal

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/schollz/progressbar/v3"
)

const (
	progressPace = 200 * time.Millisecond
	// progressMemory is the time over which speeds are averaged.
	progressMemory = 20 * time.Second

	minBar, maxBar = 6, 40 // columns
)

// Progress describes how far a task is.
type Progress struct {
	Count  int    // things done
	Noun   string // of one of them
	Failed int    // of them
	// Done is how much of Total is done, in the same unit. Total is 0 if it is unknown.
	Done, Total int64
	State       string // what the task waits for, or empty
}

// Meter measures the speed of a task.
type Meter struct {
	now     func() Progress
	samples []sample // of the last progressMemory, at most one per progressPace
}

type sample struct {
	at time.Time
	Progress
}

// NewMeter returns a meter of the task whose progress now returns.
func NewMeter(now func() Progress) *Meter {
	return &Meter{now: now, samples: []sample{{time.Now(), now()}}}
}

// Read returns the progress, and a text such as "98/s, 2 failed, 3m20s left, 12345 rows".
func (m *Meter) Read() (Progress, string) {
	last := sample{time.Now(), m.now()}
	for len(m.samples) > 1 && last.at.Sub(m.samples[0].at) > progressMemory {
		m.samples = m.samples[1:]
	}
	first := m.samples[0]
	m.samples = append(m.samples, last)

	var parts []string
	if last.State != "" {
		parts = append(parts, last.State)
	}
	passed := last.at.Sub(first.at).Seconds()
	if count := last.Count - first.Count; count > 0 && passed > 0 {
		parts = append(parts, speed(float64(count)/passed))
	}
	if last.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", last.Failed))
	}
	if done := last.Done - first.Done; last.Total > 0 && done > 0 && passed > 0 {
		left := float64(max(0, last.Total-last.Done)) / float64(done) * passed
		parts = append(parts, timeLeft(left))
	}
	noun := last.Noun
	if last.Count != 1 {
		noun += "s"
	}
	parts = append(parts, fmt.Sprintf("%d %s", last.Count, noun))
	return last.Progress, strings.Join(parts, ", ")
}

// speed formats a number per second in a unit that makes it at least 1 if possible.
func speed(perSecond float64) string {
	switch {
	case perSecond >= 10:
		return fmt.Sprintf("%.0f/s", perSecond)
	case perSecond >= 1:
		return fmt.Sprintf("%.1f/s", perSecond)
	case perSecond >= 1.0/60:
		return fmt.Sprintf("%.1f/min", 60*perSecond)
	}
	return fmt.Sprintf("%.1f/h", 3600*perSecond)
}

// timeLeft formats a number of seconds, more coarsely if it is larger.
func timeLeft(seconds float64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%.0fs left", math.Ceil(seconds))
	case seconds < 3600:
		return fmt.Sprintf("%dm%02ds left", int(seconds)/60, int(seconds)%60)
	case seconds < 100*3600:
		return fmt.Sprintf("%dh%02dm left", int(seconds)/3600, int(seconds)%3600/60)
	}
	return fmt.Sprintf("%.0f days left", seconds/86400)
}

// Percent returns how much is done in percent, and false if the total is unknown.
func (p Progress) Percent() (int, bool) {
	if p.Total <= 0 {
		return 0, false
	}
	return int(100 * min(p.Done, p.Total) / p.Total), true
}

// Show shows a bar on stderr, which must be a terminal, until stop is called, which erases
// it. Nothing is written after stop returns; calling it again does nothing.
func (m *Meter) Show(s *Streams) (stop func()) {
	return inBackground(func(quit <-chan struct{}) {
		width := 0
		for {
			columns := s.Columns()
			frame := s.Truncate(m.frame(columns-1, s.UTF8), columns-1)
			fmt.Fprintf(s.Err, "%s%s\r", erase(width, columns), frame)
			width = ansi.StringWidth(frame)
			select {
			case <-quit:
				fmt.Fprint(s.Err, erase(width, s.Columns()))
				return
			case <-time.After(progressPace):
			}
		}
	})
}

// frame returns a line for the given number of columns, with a bar if the total is known
// and there is room.
func (m *Meter) frame(columns int, utf8 bool) string {
	progress, text := m.Read()
	percent, known := progress.Percent()
	if !known {
		return text
	}
	width := min(columns-ansi.StringWidth(text)-len("100% || "), maxBar)
	if width < minBar {
		return fmt.Sprintf("%d%%, %s", percent, text)
	}
	theme := progressbar.ThemeASCII
	if utf8 {
		theme = progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}
	}
	bar := progressbar.NewOptions(100, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(width),
		progressbar.OptionSetTheme(theme), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
	_ = bar.Set(percent) // writes nothing, so it cannot fail
	return strings.TrimSpace(bar.String()) + " " + text
}
