package terminal

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// screen is a buffer for concurrent use by the spinner and the test.
type screen struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes.String()
}

func TestSpinnerShowsElapsedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out screen
		s := &Streams{Err: &out, ErrTTY: true, UTF8: true, Width: 40}
		stop := s.WaitFor(Waiting{Label: "waiting for\nreviewer\x1b[2J"})
		<-time.After(spinnerDelay - time.Millisecond)
		synctest.Wait()
		if shown := out.String(); shown != "" {
			t.Errorf("shown too early: %q", shown)
		}
		<-time.After(61 * time.Second)
		synctest.Wait()
		shown := out.String()
		for _, want := range []string{"⠋ waiting for reviewer␛[2J 0s\r", "⠙ ", " 3s\r", " 1m01s\r"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%q was never shown", want)
			}
		}
		stop()
		if !strings.HasSuffix(out.String(), eraseLine) || strings.Count(out.String(), "\x1b") != strings.Count(out.String(), eraseLine) {
			t.Errorf("stop wrote %q", out.String()[len(shown):])
		}
		done := out.String()
		stop()
		<-time.After(time.Second)
		if after := strings.TrimPrefix(out.String(), done); after != "" {
			t.Errorf("written after stop: %q", after)
		}
	})
}

func TestShortWaitShowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range []*Streams{{ErrTTY: true}, {ErrTTY: true, Dumb: true}, {}} {
			var out bytes.Buffer
			s.Err = &out
			stop := s.WaitFor(Waiting{Label: "label"})
			<-time.After(spinnerDelay / 2)
			stop()
			if out.Len() > 0 {
				t.Errorf("%+v wrote %q", s, &out)
			}
		}
	})
}

func TestWaitOnEachKindOfTerminal(t *testing.T) {
	for _, c := range []struct {
		name    string
		streams Streams
		want    string
	}{
		{"pipe", Streams{}, `^$`},
		{"dumb", Streams{ErrTTY: true, Dumb: true}, `^label\n$`},
		{"accessible", Streams{ErrTTY: true, UTF8: true, Accessible: true}, `^label\n$`},
		{"ASCII", Streams{ErrTTY: true}, `^(\r\x1b\[K[|/\\-] label \d+s\r)+\r\x1b\[K$`},
		{"Unicode", Streams{ErrTTY: true, UTF8: true}, `^(\r\x1b\[K[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] label \d+s\r)+\r\x1b\[K$`},
		{"narrow", Streams{ErrTTY: true, UTF8: true, Width: 10}, `^(\r\x1b\[K. lab… \d+s\r)+\r\x1b\[K$`},
		{"narrower than the seconds", Streams{ErrTTY: true, UTF8: true, Width: 4}, `^(\r\x1b\[K. …\r)+\r\x1b\[K$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				s := c.streams
				s.Err = &out
				stop := s.WaitFor(Waiting{Label: "label"})
				<-time.After(5 * time.Second)
				stop()
				if !regexp.MustCompile(c.want).MatchString(out.String()) {
					t.Errorf("wrote %q, want %s", &out, c.want)
				}
			})
		})
	}
}

func TestWaitShowsUsualDuration(t *testing.T) {
	for name, c := range map[string]struct {
		streams Streams
		usual   time.Duration
		want    string
	}{
		"unknown":                    {Streams{}, 0, "| asking reviewer 2s\r"},
		"seconds":                    {Streams{}, 4200 * time.Millisecond, "| asking reviewer 2s (usually 4s)\r"},
		"rounded":                    {Streams{}, 1500 * time.Millisecond, "| asking reviewer 2s (usually 2s)\r"},
		"minutes":                    {Streams{}, 90 * time.Second, "| asking reviewer 2s (usually 1m30s)\r"},
		"under a second":             {Streams{}, 999 * time.Millisecond, "| asking reviewer 2s (usually under 1s)\r"},
		"narrow":                     {Streams{Width: 30}, 4 * time.Second, "| asking r... 2s (usually 4s)\r"},
		"too narrow":                 {Streams{Width: 24}, 4 * time.Second, "| asking reviewer 2s\r"},
		"dumb":                       {Streams{Dumb: true}, 4 * time.Second, "asking reviewer, which usually takes 4 seconds\n"},
		"accessible":                 {Streams{Accessible: true}, 61 * time.Second, "asking reviewer, which usually takes 1 minute 1 second\n"},
		"accessible, minutes":        {Streams{Accessible: true}, 2 * time.Minute, "asking reviewer, which usually takes 2 minutes\n"},
		"accessible, under a second": {Streams{Accessible: true}, time.Millisecond, "asking reviewer, which usually takes less than a second\n"},
		"accessible, unknown":        {Streams{Accessible: true}, 0, "asking reviewer\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out screen
				s := c.streams
				s.Err, s.ErrTTY = &out, true
				calls := 0
				stop := s.WaitFor(Waiting{Label: "asking reviewer", Since: time.Now().Add(-time.Second), Usual: func() time.Duration {
					calls++
					return c.usual
				}})
				<-time.After(1500 * time.Millisecond)
				stop()
				if !strings.Contains(out.String(), c.want) || calls != 1 {
					t.Errorf("%d calls of Usual, wrote %q, want %q", calls, out.String(), c.want)
				}
			})
		})
	}
}

func TestShortWaitDoesNotCallUsual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Streams{Err: new(screen), ErrTTY: true}
		stop := s.WaitFor(Waiting{Label: "label", Usual: func() time.Duration {
			t.Error("Usual was called")
			return 0
		}})
		<-time.After(spinnerDelay / 2)
		stop()
	})
}

// TestFrameFitsTerminal tries every width, because a frame that the terminal wraps cannot
// be erased.
func TestFrameFitsTerminal(t *testing.T) {
	for _, label := range []string{"asking reviewer", "asking 审阅者👩‍💻", "x"} {
		for _, s := range []spinner{{&Streams{UTF8: true}}, {&Streams{}}} {
			for width := range 60 {
				frame := s.frame("⠋", label, "1m01s", " (usually 1m30s)", width)
				if got := ansi.StringWidth(frame); got > width {
					t.Errorf("%q has %d columns, want at most %d", frame, got, width)
				}
				if width >= 40 && !strings.HasSuffix(frame, " 1m01s (usually 1m30s)") {
					t.Errorf("%q is incomplete in %d columns", frame, width)
				}
			}
		}
	}
}
