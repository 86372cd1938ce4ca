package terminal

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestProgressText(t *testing.T) {
	for name, tc := range map[string]struct {
		after time.Duration
		then  Progress
		want  string
	}{
		"start":     {0, Progress{Noun: "row", Total: 100}, "0 rows"},
		"one":       {time.Second, Progress{Count: 1, Noun: "row", Done: 10, Total: 100}, "1.0/s, 9s left, 1 row"},
		"failures":  {10 * time.Second, Progress{Count: 980, Noun: "row", Failed: 2, Done: 1 << 20, Total: 21 << 20}, "98/s, 2 failed, 3m20s left, 980 rows"},
		"slow":      {20 * time.Second, Progress{Count: 1, Noun: "row", Done: 1, Total: 1000}, "3.0/min, 5h33m left, 1 row"},
		"slower":    {10 * time.Minute, Progress{Count: 2, Noun: "row", Done: 1, Total: 1e6}, "12.0/h, 6944 days left, 2 rows"},
		"pipe":      {time.Second, Progress{Count: 50, Noun: "row"}, "50/s, 50 rows"},
		"paused":    {20 * time.Second, Progress{Noun: "row", State: "paused for 30s"}, "paused for 30s, 0 rows"},
		"completed": {time.Second, Progress{Count: 50, Noun: "row", Done: 101, Total: 100}, "50/s, 0s left, 50 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				progress := Progress{Noun: "row"}
				m := NewMeter(func() Progress { return progress })
				time.Sleep(tc.after)
				progress = tc.then
				if _, text := m.Read(); text != tc.want {
					t.Errorf("got %q, want %q", text, tc.want)
				}
			})
		})
	}
}

// TestProgressForgetsOldSpeed follows a task that becomes ten times as fast.
func TestProgressForgetsOldSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var progress Progress
		m := NewMeter(func() Progress { return progress })
		for i := range 600 {
			time.Sleep(progressPace)
			progress.Count++
			if i >= 300 {
				progress.Count += 9
			}
			m.Read()
		}
		if _, text := m.Read(); !strings.HasPrefix(text, "50/s") {
			t.Error(text)
		}
		if len(m.samples) > 150 {
			t.Errorf("%d samples", len(m.samples))
		}
	})
}

func TestProgressBar(t *testing.T) {
	for name, tc := range map[string]struct {
		streams Streams
		want    string
	}{
		"wide":   {Streams{UTF8: true, Width: 70}, "50% ██████████████████░░░░░░░░░░░░░░░░░░░ 10/s, 10s left, 100 rows"},
		"medium": {Streams{UTF8: true, Width: 44}, "50% █████░░░░░░ 10/s, 10s left, 100 rows"},
		"narrow": {Streams{UTF8: true, Width: 32}, "50%, 10/s, 10s left, 100 rows"},
		"tiny":   {Streams{UTF8: true, Width: 20}, "50%, 10/s, 10s lef…"},
		"ASCII":  {Streams{Width: 44}, "50% [====>......] 10/s, 10s left, 100 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				s := tc.streams
				s.Err, s.ErrTTY = &out, true
				var progress Progress
				m := NewMeter(func() Progress { return progress })
				time.Sleep(10 * time.Second)
				progress = Progress{Count: 100, Noun: "row", Done: 500, Total: 1000}
				stop := m.Show(&s)
				synctest.Wait()
				stop()
				frame, rest, _ := strings.Cut(strings.TrimPrefix(out.String(), eraseLine), "\r")
				if frame != tc.want || ansi.StringWidth(frame) >= s.Width || rest != eraseLine {
					t.Errorf("got %q and %q, want %q", frame, rest, tc.want)
				}
			})
		})
	}
}
