package terminal

import (
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Notification is a way to notify a user who is looking elsewhere.
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

// Notify rings the bell of the terminal of stderr, or has it show text on the desktop,
// unless there is none or it is dumb. Nothing appears on the screen, so ACCESSIBLE
// changes nothing. Inside tmux the text goes to the terminal around it, if tmux's
// option allow-passthrough is on.
func (s *Streams) Notify(how Notification, text string) {
	if !s.ErrTTY || s.Dumb {
		return
	}
	var sequence string
	switch how {
	case NotifyBell:
		sequence = "\a"
	case NotifyOSC9:
		// "9;4;…" would be a progress bar; a text of words cannot be one.
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

// plainText removes from text what could end or split a sequence.
func plainText(text string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if r == ';' || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, CleanLine(text)))
	return string(plain[:min(len(plain), maxNotification)])
}
