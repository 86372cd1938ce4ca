package terminal

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is a buffer that the spinner and the test share.
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

func TestWaitShowsElapsedSecondsAndErasesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out screen
		s := &Streams{Err: &out, ErrTTY: true, UTF8: true, Width: 40}
		stop := s.Wait("waiting for\nreviewer\x1b[2J")
		<-time.After(spinnerDelay - time.Millisecond)
		synctest.Wait()
		if shown := out.String(); shown != "" {
			t.Errorf("shown at once: %q", shown)
		}
		<-time.After(61 * time.Second)
		synctest.Wait()
		shown := out.String()
		for _, want := range []string{"⠋ waiting for reviewer␛[2J 0s", "⠙ ", " 3s", " 1m01s"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%q was never shown", want)
			}
		}
		stop()
		if !strings.HasSuffix(out.String(), eraseLine) || strings.Count(out.String(), "\x1b") != strings.Count(out.String(), eraseLine) {
			t.Errorf("the end is %q", out.String()[len(shown):])
		}
		done := out.String()
		stop()
		<-time.After(time.Second)
		if after := strings.TrimPrefix(out.String(), done); after != "" {
			t.Errorf("written after stop: %q", after)
		}
	})
}

func TestWaitShowsNothingForAQuickAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range []*Streams{{ErrTTY: true}, {ErrTTY: true, Dumb: true}, {}} {
			var out bytes.Buffer
			s.Err = &out
			stop := s.Wait("label")
			<-time.After(spinnerDelay / 2)
			stop()
			if out.Len() > 0 {
				t.Errorf("%+v wrote %q", s, &out)
			}
		}
	})
}

func TestWaitSpinsOnlyWhereItCanBeErased(t *testing.T) {
	for _, c := range []struct {
		name    string
		streams Streams
		want    string
	}{
		{"in a pipe", Streams{}, `^$`},
		{"dumb", Streams{ErrTTY: true, Dumb: true}, `^label\n$`},
		{"accessible", Streams{ErrTTY: true, UTF8: true, Accessible: true}, `^label\n$`},
		{"ASCII", Streams{ErrTTY: true}, `^(\r\x1b\[K[|/\\-] label \d+s)+\r\x1b\[K$`},
		{"Unicode", Streams{ErrTTY: true, UTF8: true}, `^(\r\x1b\[K[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] label \d+s)+\r\x1b\[K$`},
		{"narrow", Streams{ErrTTY: true, UTF8: true, Width: 15}, `^(\r\x1b\[K. lab… \d+s)+\r\x1b\[K$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				s := c.streams
				s.Err = &out
				stop := s.Wait("label")
				<-time.After(5 * time.Second)
				stop()
				if !regexp.MustCompile(c.want).MatchString(out.String()) {
					t.Errorf("wrote %q, want %s", &out, c.want)
				}
			})
		})
	}
}
