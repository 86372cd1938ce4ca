package lineedit

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
)

// characters implements movement over and removal of user-perceived characters: a
// letter with its marks, an emoji or a placeholder. The library's own commands work on
// single runes.
type characters struct {
	lib   *readline.Shell
	folds *folds
	keys  keyQueue
}

// register replaces the commands of the library.
func (c characters) register() {
	forward := c.lib.Keymap.Commands()["forward-char"]
	viForward := c.lib.Keymap.Commands()["vi-forward-char"]
	movement := c.lib.Keymap.Commands()["vi-movement-mode"]
	c.lib.Keymap.Register(map[string]func(){
		"vi-movement-mode": func() {
			if c.keys.continues() {
				return
			}
			movement() // moves left by one rune
			c.lib.Cursor().Set(start([]rune(*c.lib.Line()), c.lib.Cursor().Pos()))
		},
		"backward-delete-char":    func() { c.remove(false) },
		"delete-char":             c.deleteOrEnd,
		"end-of-file":             c.deleteOrEnd,
		"vi-eof-maybe":            c.deleteOrEnd,
		"unix-word-rubout":        c.removeWord,
		"vi-delete":               func() { c.take(true) },
		"vi-backward-delete-char": func() { c.take(false) },
		"backward-char":           func() { c.move(false, "") },
		"vi-backward-char":        func() { c.move(false, "\n") },
		"forward-char":            func() { c.forward("", forward) },
		"vi-forward-char":         func() { c.forward("\n", viForward) },
	})
}

// forward moves the cursor over the next character. At the last one it runs the
// library's command, which accepts a suggestion.
func (c characters) forward(stop string, suggestion func()) {
	if c.lib.Cursor().Pos() >= c.lib.Line().Len()-1 {
		suggestion()
		return
	}
	c.move(true, stop)
}

// move moves the cursor by the typed count of characters, but not past a character in
// stop.
func (c characters) move(after bool, stop string) {
	c.lib.History.SkipSave()
	_, to := c.span([]rune(*c.lib.Line()), after, stop)
	c.lib.Cursor().Set(to)
}

// span returns the start of the character at the cursor and the position that is the
// typed count of characters after or before it, but not past a character in stop.
func (c characters) span(line []rune, after bool, stop string) (from, to int) {
	from = start(line, c.lib.Cursor().Pos())
	to = from
	for range c.lib.Iterations.Get() {
		n := c.piece(line, to, after)
		if !after {
			n = -n
		}
		if n == 0 || strings.ContainsRune(stop, line[min(to, to+n)]) {
			break
		}
		to += n
	}
	return from, to
}

// piece returns the number of runes of the character before or after a position.
func (c characters) piece(line []rune, at int, after bool) int {
	at = min(at, len(line))
	if n := c.folds.placeholderAt(line, at, after); n > 0 {
		return n
	}
	if !after {
		return at - start(line[:at], max(at-1, 0))
	}
	cluster, _ := ansi.FirstGraphemeCluster(string(line[at:]), ansi.GraphemeWidth)
	return utf8.RuneCountInString(cluster)
}

// start returns the start of the character at a position, because the keys of vi leave
// the cursor on the last rune of a line.
func start(line []rune, at int) int {
	begin := 0
	for rest := string(line); rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		n := utf8.RuneCountInString(cluster)
		if begin+n > at {
			return begin
		}
		begin, rest = begin+n, rest[len(cluster):]
	}
	return at
}

// remove removes the character before the cursor, or after it.
func (c characters) remove(after bool) {
	at := c.lib.Cursor().Pos()
	if n := c.piece([]rune(*c.lib.Line()), at, after); after {
		c.cut(at, at+n)
	} else {
		c.cut(at-n, at)
	}
}

// deleteOrEnd removes the character after the cursor. Ctrl-D on an empty line ends the
// input instead, whichever of these commands .inputrc binds to it.
func (c characters) deleteOrEnd() {
	if c.lib.Line().Len() == 0 && string(c.lib.Keys.Caller()) == "\x04" {
		leave(c.lib, io.EOF)
		return
	}
	c.remove(true)
}

// take removes the typed count of characters for the keys of vi, within the line, and
// saves them for the key p.
func (c characters) take(after bool) {
	line := []rune(*c.lib.Line())
	from, to := c.span(line, after, "\n")
	begin, end := min(from, to), max(from, to)
	if begin < end {
		c.lib.Buffers.Write(line[begin:end]...)
	}
	c.cut(begin, end)
}

// removeWord removes the text before the cursor back to a space, as in shells, and
// saves it for Ctrl-Y. The library's own command stops at punctuation.
func (c characters) removeWord() {
	line, end := []rune(*c.lib.Line()), c.lib.Cursor().Pos()
	begin := end
	for inWord := false; begin > 0; {
		n := c.piece(line, begin, false)
		space := n == 1 && unicode.IsSpace(line[begin-1])
		if space && inWord {
			break
		}
		inWord = !space
		begin -= n
	}
	c.lib.Buffers.Write(line[begin:end]...)
	c.cut(begin, end)
}

// cut removes a part of the line.
func (c characters) cut(begin, end int) {
	if begin == end {
		return
	}
	c.lib.History.Save()
	c.lib.Line().Cut(begin, end)
	c.lib.Cursor().Set(begin)
}
