package terminal

import (
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Notification is a way to notify a user who is not looking at the terminal.
type Notification string

// The notifications. A terminal that does not support a sequence ignores it.
const (
	NotifyOff    Notification = "off"
	NotifyBell   Notification = "bell"
	NotifyOSC9   Notification = "osc9"   // iTerm2, WezTerm, Ghostty, Windows Terminal, foot, kitty
	NotifyOSC777 Notification = "osc777" // urxvt, foot, Ghostty, WezTerm, VTE of some distributions
)

// maxNotification is the maximum length of a notification, in runes.
const maxNotification = 120

// Notify rings the bell of stderr's terminal or makes it show text as a desktop
// notification. It does nothing without a terminal or on a dumb one. Inside tmux, text
// is passed on to the outer terminal, which requires tmux's option allow-passthrough.
// ACCESSIBLE has no effect, because nothing is written to the screen.
func (s *Streams) Notify(how Notification, text string) {
	if !s.ErrTTY || s.Dumb {
		return
	}
	var sequence string
	switch how {
	case NotifyBell:
		sequence = "\a"
	case NotifyOSC9:
		// "9;4;…" would be a progress bar, but plainText removes semicolons.
		sequence = "\x1b]9;" + plainText(text) + "\a"
	case NotifyOSC777:
		sequence = "\x1b]777;notify;hobnob;" + plainText(text) + "\a"
	default:
		return
	}
	if s.Getenv("TMUX") != "" && how != NotifyBell {
		sequence = ansi.TmuxPassthrough(sequence)
	}
	_, _ = io.WriteString(s.Err, sequence)
}

// plainText returns text without the characters that could end or split a sequence, cut
// to maxNotification runes.
func plainText(text string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if r == ';' || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, CleanLine(text)))
	return string(plain[:min(len(plain), maxNotification)])
}
