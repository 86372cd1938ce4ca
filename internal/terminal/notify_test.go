package terminal

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestNotifySequences(t *testing.T) {
	for name, c := range map[string]struct {
		streams Streams
		how     Notification
		want    string
	}{
		"off":              {Streams{ErrTTY: true}, NotifyOff, ""},
		"unset":            {Streams{ErrTTY: true}, "", ""},
		"bell":             {Streams{ErrTTY: true}, NotifyBell, "\a"},
		"bell, accessible": {Streams{ErrTTY: true, Accessible: true}, NotifyBell, "\a"},
		"bell, tmux":       {Streams{ErrTTY: true, env: environment("TMUX=/tmp/s,1,0")}, NotifyBell, "\a"},
		"osc9":             {Streams{ErrTTY: true}, NotifyOSC9, "\x1b]9;hobnob: reviewer has answered\a"},
		"osc777":           {Streams{ErrTTY: true}, NotifyOSC777, "\x1b]777;notify;hobnob;hobnob: reviewer has answered\a"},
		"osc9, tmux":       {Streams{ErrTTY: true, env: environment("TMUX=/tmp/s,1,0")}, NotifyOSC9, "\x1bPtmux;\x1b\x1b]9;hobnob: reviewer has answered\a\x1b\\"},
		"osc777, tmux":     {Streams{ErrTTY: true, env: environment("TMUX=/tmp/s,1,0")}, NotifyOSC777, "\x1bPtmux;\x1b\x1b]777;notify;hobnob;hobnob: reviewer has answered\a\x1b\\"},
		"pipe":             {Streams{}, NotifyOSC9, ""},
		"bell, pipe":       {Streams{}, NotifyBell, ""},
		"bell, dumb":       {Streams{ErrTTY: true, Dumb: true}, NotifyBell, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := c.streams
			s.Err = &out
			s.Notify(c.how, "hobnob: reviewer has answered")
			if out.String() != c.want {
				t.Errorf("wrote %q, want %q", &out, c.want)
			}
		})
	}
}

// FuzzNotify checks that text cannot end its sequence or begin another one.
func FuzzNotify(f *testing.F) {
	for _, text := range []string{"", "a;b\x1b]0;title\a", "4;1;50", "\x9c\x9b31m", "中文\u202e", "a\nb\tc", "\x1b\\", strings.Repeat("x", 500)} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, tmux bool) {
		s := &Streams{ErrTTY: true}
		if tmux {
			s.env = environment("TMUX=1")
		}
		for how, sequence := range map[Notification]string{NotifyOSC9: "\x1b]9;\x00\a", NotifyOSC777: "\x1b]777;notify;hobnob;\x00\a"} {
			var out bytes.Buffer
			s.Err = &out
			s.Notify(how, text)
			if tmux {
				sequence = ansi.TmuxPassthrough(sequence)
			}
			before, after, _ := strings.Cut(sequence, "\x00")
			inner, ok := strings.CutPrefix(out.String(), before)
			inner, end := strings.CutSuffix(inner, after)
			if !ok || !end || !utf8.ValidString(inner) || strings.ContainsFunc(inner, func(r rune) bool { return r == ';' || Unsafe(r) }) || utf8.RuneCountInString(inner) > maxNotification {
				t.Errorf("Notify(%q) wrote %q", text, &out)
			}
		}
	})
}
