package picker

import (
	"strings"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/cells"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

const (
	// firstRows is the number of rows for which conversations are read before the size of
	// the screen is known.
	firstRows = 40
	// maxText is the maximum length of the typed text, in bytes.
	maxText = 4096
	// unknownTotal is the number of conversations until a search ends.
	unknownTotal = 1 << 29
)

// Pasted text is between these sequences.
const pasteStart, pasteEnd = "\x1b[200~", "\x1b[201~"

// part is a part of the conversations that contain a text.
type part struct {
	text          string
	offset        int // of the first one
	wanted        int // the number that was requested
	conversations []history.Conversation
	total         int
}

// list is the state of the list, without a terminal.
type list struct {
	text    string // that the conversations contain
	part    part
	at, top int // the selected conversation and the first one on the screen
	rows    int // on the screen
	// entered is set by Enter until the selected conversation is known. Until then, the
	// keys after it wait.
	entered bool
	pending string // keys that are incomplete or wait
	pasting bool
}

// action is the effect of keys on the list as a whole.
type action int

const (
	stay action = iota
	choose
	cancelList
	interrupt
	suspend
)

// stale reports whether the conversations are those of an earlier text.
func (l *list) stale() bool { return l.part.text != l.text || l.part.wanted == 0 }

// total returns the number of conversations.
func (l *list) total() int {
	if l.stale() {
		return unknownTotal
	}
	return l.part.total
}

// get returns a conversation by its position, if it has been read.
func (l *list) get(at int) (c history.Conversation, ok bool) {
	if l.stale() {
		return c, false
	}
	return l.read(at)
}

// read is like get, but during a search, it returns the conversations of the earlier text.
func (l *list) read(at int) (c history.Conversation, ok bool) {
	i := at - l.part.offset
	if i < 0 || i >= len(l.part.conversations) {
		return c, false
	}
	return l.part.conversations[i], true
}

// selected returns the selected conversation, if it has been read.
func (l *list) selected() (c history.Conversation, ok bool) { return l.get(l.at) }

// need returns the search for the conversations on the screen and some around them, or
// the zero request if they have been read.
func (l *list) need() request {
	last := min(l.top+l.rows, l.total()) - 1
	_, first := l.get(l.top)
	if _, ok := l.get(last); last < l.top || first && ok {
		return request{}
	}
	return request{text: l.text, offset: max(l.top-l.rows, 0), limit: 3 * l.rows}
}

// resize sets the number of rows on the screen, at least one.
func (l *list) resize(rows int) {
	l.rows = max(rows, 1)
	l.scroll()
}

// scroll moves the first row so that the selected conversation is on the screen.
func (l *list) scroll() {
	l.at = max(min(l.at, l.total()-1), 0)
	l.top = max(min(l.top, l.at, l.total()-l.rows), l.at-l.rows+1, 0)
}

// show adds the result of a search.
func (l *list) show(found part) action {
	if found.text != l.text {
		return stay
	}
	// Other processes may have deleted conversations since they were counted.
	if n := len(found.conversations); n < min(found.wanted, found.total-found.offset) {
		found.total = found.offset + n
	}
	l.part = found
	l.scroll()
	switch {
	case !l.entered:
		return stay
	case found.total == 0:
		l.entered = false
		return l.typed("") // the keys after Enter
	}
	return l.enter()
}

// enter chooses the selected conversation, if it is known.
func (l *list) enter() action {
	if l.total() == 0 {
		return stay
	}
	if _, l.entered = l.selected(); l.entered {
		return choose
	}
	l.entered = true
	return stay
}

// typed handles keys until one has an effect on the list as a whole. The others are
// pending.
func (l *list) typed(keys string) action {
	if l.entered {
		switch {
		case strings.Contains(keys, "\x03"):
			return interrupt
		case keys == "\x1b":
			return cancelList
		}
	}
	l.pending += keys
	for !l.entered {
		n := next(l.pending)
		if n == 0 {
			return stay
		}
		key := l.pending[:n]
		l.pending = l.pending[n:]
		if what := l.key(key); what != stay {
			return what
		}
	}
	return stay
}

// next returns the length of the first key of typed keys, or 0 if it is incomplete.
func next(keys string) int {
	switch {
	case keys == "":
		return 0
	case keys == "\x1b":
		return 1
	case keys[0] != '\x1b':
		if !utf8.FullRuneInString(keys) {
			return 0
		}
		_, n := utf8.DecodeRuneInString(keys)
		return n
	case strings.IndexByte("[]O", keys[1]) >= 0:
		if n, ends := terminal.Sequence(keys); ends {
			return n
		}
		return 0
	case keys[1] < ' ' && keys[1] != '\b': // Escape and another key
		return 1
	}
	if n := next(keys[1:]); n > 0 {
		return 1 + n
	}
	return 0
}

// key handles one key.
func (l *list) key(key string) action {
	if l.pasting && key != "\x03" && key != pasteEnd {
		switch {
		case key == "\r", key == "\n", key == "\t":
			l.edit(l.text + " ")
		case key[0] >= ' ' && key != "\x7f":
			l.add(key)
		}
		return stay
	}
	switch key {
	case "\x03": // Ctrl-C
		return interrupt
	case "\x1b", "\a": // Escape, Ctrl-G
		return cancelList
	case "\x04": // Ctrl-D
		if l.text == "" {
			return cancelList
		}
	case "\x1a": // Ctrl-Z
		return suspend
	case "\r", "\n":
		return l.enter()
	case "\x1b[A", "\x1bOA", "\x10": // Up, Ctrl-P
		l.move(-1)
	case "\x1b[B", "\x1bOB", "\x0e": // Down, Ctrl-N
		l.move(1)
	case "\x1b[5~": // PageUp
		l.move(-max(l.rows-1, 1))
	case "\x1b[6~": // PageDown
		l.move(max(l.rows-1, 1))
	case "\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~": // Home
		l.move(-unknownTotal)
	case "\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~": // End
		l.move(unknownTotal)
	case "\x7f", "\b":
		l.edit(l.text[:lastCharacter(l.text)])
	case "\x15": // Ctrl-U
		l.edit("")
	case "\x17", "\x1b\x7f", "\x1b\b": // Ctrl-W, Alt-Backspace
		word := strings.TrimRight(l.text, " ")
		l.edit(word[:strings.LastIndexByte(word, ' ')+1])
	case pasteStart, pasteEnd:
		l.pasting = key == pasteStart
	default:
		if key[0] >= ' ' {
			l.add(key)
		}
	}
	return stay
}

// add appends a character to the text, except an invalid one.
func (l *list) add(key string) {
	if r, _ := utf8.DecodeRuneInString(key); !terminal.Unsafe(r) && r != utf8.RuneError && len(l.text)+len(key) <= maxText {
		l.edit(l.text + key)
	}
}

// edit replaces the text.
func (l *list) edit(text string) {
	if text != l.text {
		l.text, l.at, l.top = text, 0, 0
	}
}

// move moves the selection down, or up if by is negative.
func (l *list) move(by int) {
	l.at += by
	l.scroll()
}

// lastCharacter returns the start of the last character of a text.
func lastCharacter(text string) int {
	start := 0
	for i := 0; i < len(text); {
		_, _, n, _ := cells.Decode(text[i:], 0)
		start, i = i, i+max(n, 1)
	}
	return start
}
