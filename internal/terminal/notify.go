package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Notification is a way to tell somebody who looks elsewhere that something is done.
type Notification string

// The notifications. A terminal that does not know a sequence shows nothing.
const (
	NotifyOff    Notification = "off"
	NotifyBell   Notification = "bell"
	NotifyOSC9   Notification = "osc9"   // iTerm2, WezTerm, Ghostty, Windows Terminal, foot, kitty
	NotifyOSC777 Notification = "osc777" // urxvt, foot, Ghostty, WezTerm, VTE of some distributions
)

// maxNotification is the longest text of a notification, in runes.
const maxNotification = 120

// Notify rings the bell of the terminal of stderr or has it show a text on the
// desktop, unless there is none or it is dumb. Nothing appears on the screen, so
// that ACCESSIBLE changes nothing: for a screen reader a sound is as good as ever.
// Inside tmux a text goes through to the terminal around it, which tmux does only
// where its option allow-passthrough is on.
func (s *Streams) Notify(how Notification, text string) {
	if !s.ErrTTY || s.Dumb {
		return
	}
	text = plainText(text)
	switch how {
	case NotifyBell:
		_, _ = io.WriteString(s.Err, "\a")
	case NotifyOSC9:
		// "9;4;…" would be a progress bar; a text of words cannot be one.
		_, _ = io.WriteString(s.Err, s.throughTmux(fmt.Sprintf("\x1b]9;%s\a", text)))
	case NotifyOSC777:
		_, _ = io.WriteString(s.Err, s.throughTmux(fmt.Sprintf("\x1b]777;notify;hobnob;%s\a", text)))
	}
}

// throughTmux wraps a sequence for the terminal around tmux.
func (s *Streams) throughTmux(sequence string) string {
	if s.Getenv("TMUX") == "" {
		return sequence
	}
	return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
}

// plainText leaves of a text what cannot end or split a sequence.
func plainText(text string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if r == ';' || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, CleanLine(text)))
	return string(plain[:min(len(plain), maxNotification)])
}
