package lineedit

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
)

// keyQueue is what was typed and not yet handled: the keys that the library has
// read, and after them those of the terminal.
type keyQueue struct {
	lib *readline.Shell
	in  io.Reader
}

// register replaces commands of the library that lose keys or take them for text.
func (q keyQueue) register() {
	abort := q.lib.Keymap.Commands()["abort"]
	q.lib.Keymap.Register(map[string]func(){
		// The library looks at the next keys to know who calls it, and drops them.
		"abort": func() {
			rest := q.take()
			abort()
			q.feed(rest)
		},
		skipCommand: q.skipSequence,
	})
}

// take removes and returns the keys that the library has read.
func (q keyQueue) take() string {
	var got []byte
	for {
		b, empty := q.lib.Keys.Pop()
		if empty {
			return string(got)
		}
		got = append(got, b)
	}
}

// next returns the first character of taken, or of what is typed, and what was read
// after it. At the end of the input it is empty.
func (q keyQueue) next(taken string) (key, rest string) {
	got := []byte(taken)
	for !utf8.FullRune(got) {
		buffer := make([]byte, 1024)
		n, err := q.in.Read(buffer)
		if err != nil || n == 0 {
			return "", ""
		}
		got = append(got, buffer[:n]...)
	}
	_, size := utf8.DecodeRune(got)
	return string(got[:size]), string(got[size:])
}

// feed gives keys to the library as if they were typed. It expects characters,
// except in a paste, where it expects bytes.
func (q keyQueue) feed(keys string) {
	for keys != "" {
		before, _, _ := strings.Cut(keys, ansi.BracketedPasteStart)
		q.lib.Keys.Feed(false, []rune(before)...)
		keys = keys[len(before):]
		pasted, _, ended := strings.Cut(keys, ansi.BracketedPasteEnd)
		if ended {
			pasted += ansi.BracketedPasteEnd
		}
		for _, b := range []byte(pasted) {
			q.lib.Keys.Feed(false, rune(b))
		}
		keys = keys[len(pasted):]
	}
}

// skipSequence drops the rest of a key without a command, such as F5: an escape
// sequence of ECMA-48, whose beginning was read.
func (q keyQueue) skipSequence() {
	q.lib.History.SkipSave()
	read := string(q.lib.Keys.Caller())
	for !sequenceEnds(read) {
		b, empty := q.lib.Keys.Pop()
		if empty {
			return
		}
		read += string(rune(b))
	}
}

// sequenceEnds reports whether text that begins with Escape and [ or O is a complete
// sequence or cannot become one.
func sequenceEnds(read string) bool {
	const introducer = len("\x1b[")
	if len(read) <= introducer {
		return false
	}
	last := read[len(read)-1]
	return read[introducer-1] == 'O' || last < 0x20 || last > 0x3f
}
