package lineedit

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// keyQueue is the queue of typed keys: those that the library has read but not
// handled, followed by those of the terminal.
type keyQueue struct {
	lib *readline.Shell
	in  io.Reader
}

// register replaces commands of the library that lose keys or insert them as text.
func (q keyQueue) register() {
	abort := q.lib.Keymap.Commands()["abort"]
	q.lib.Keymap.Register(map[string]func(){
		// The library drops the keys that follow, and if a menu is open, it only
		// closes the menu.
		"abort": func() {
			key, rest := string(q.lib.Keys.Caller()), q.take()
			abort()
			if accepted, _, _ := q.lib.History.LineAccepted(); !accepted && key == "\x03" {
				leave(q.lib, readline.ErrInterrupt)
			}
			q.feed(rest)
		},
		skipCommand: q.skipSequence,
	})
}

// take removes and returns the keys that the library has read or that were fed.
func (q keyQueue) take() string {
	fed := fedKeys(q.lib)
	var got []byte
	for {
		b, empty := q.lib.Keys.Pop()
		if empty {
			break
		}
		got = append(got, b)
	}
	// Of a fed character, Pop returns only one byte.
	return string(got[:max(len(got)-len(fed), 0)]) + unfed(fed)
}

// unfed returns the keys that feed has passed to the library as these runes.
func unfed(runes []rune) string {
	var keys []byte
	for pasted, i := false, 0; i < len(runes); i++ {
		if pasted {
			keys = append(keys, byte(runes[i]))
		} else {
			keys = utf8.AppendRune(keys, runes[i])
		}
		pasted = pasted && !bytes.HasSuffix(keys, []byte(ansi.BracketedPasteEnd)) || bytes.HasSuffix(keys, []byte(ansi.BracketedPasteStart))
	}
	return string(keys)
}

// read waits for keys. It returns nil at the end of the input.
func (q keyQueue) read() []byte {
	buffer := make([]byte, 1024)
	n, err := q.in.Read(buffer)
	if err != nil {
		return nil
	}
	return buffer[:n]
}

// next returns the next character, first from taken and then from the terminal, and
// the rest of what was read. It skips responses of the terminal. Both are empty at the
// end of the input.
func (q keyQueue) next(taken string) (key, rest string) {
	got := []byte(taken)
	for {
		n, partial := terminal.Response(string(got))
		got = got[n:]
		switch {
		case n > 0:
		case utf8.FullRune(got) && (!partial || len(got) == 1): // Escape alone is a key
			_, size := utf8.DecodeRune(got)
			return string(got[:size]), string(got[size:])
		default:
			more := q.read()
			if len(more) == 0 {
				return "", ""
			}
			got = append(got, more...)
		}
	}
}

// feed passes keys to the library as if they were typed. The library expects
// characters, and bytes in a paste.
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

// continues reports whether an Escape that was read begins a sequence. It then puts
// the whole sequence back into the queue.
func (q keyQueue) continues() bool {
	rest := q.take()
	if rest == "" {
		rest = terminal.TypedWithin(q.in, terminal.EscapeTime)
	}
	begins := rest != "" && strings.ContainsRune("[]O", rune(rest[0]))
	if begins {
		rest = "\x1b" + rest
	}
	q.feed(rest)
	return begins
}

// skipSequence drops the rest of an escape sequence (ECMA-48) whose beginning was read:
// that of an unbound key, such as F5, or of a response of the terminal. The rest may
// arrive in a later read.
func (q keyQueue) skipSequence() {
	q.lib.History.SkipSave()
	read := []byte(string(q.lib.Keys.Caller()))
	for {
		if length, ends := terminal.Sequence(string(read)); ends {
			q.feed(string(read[length:]) + q.take())
			return
		}
		if b, empty := q.lib.Keys.Pop(); !empty {
			read = append(read, b)
		} else if more := q.read(); len(more) > 0 {
			read = append(read, more...)
		} else {
			return
		}
	}
}
