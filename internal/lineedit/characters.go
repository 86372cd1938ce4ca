package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
)

// characters moves the cursor over what people see as one character (a letter with
// its marks, an emoji, a token) and removes it. The library's own commands do so
// with single runes.
type characters struct {
	lib   *readline.Shell
	folds *folds
}

// register replaces the commands of the library.
func (c characters) register() {
	forward := c.lib.Keymap.Commands()["forward-char"]
	viForward := c.lib.Keymap.Commands()["vi-forward-char"]
	movement := c.lib.Keymap.Commands()["vi-movement-mode"]
	c.lib.Keymap.Register(map[string]func(){
		"vi-movement-mode": func() {
			movement() // a step to the left, by a rune
			c.lib.Cursor().Set(start([]rune(*c.lib.Line()), c.lib.Cursor().Pos()))
		},
		"backward-delete-char":    func() { c.remove(false) },
		"delete-char":             func() { c.remove(true) },
		"unix-word-rubout":        c.removeWord,
		"vi-delete":               func() { c.take(true) },
		"vi-backward-delete-char": func() { c.take(false) },
		"backward-char":           func() { c.move(false, "") },
		"vi-backward-char":        func() { c.move(false, "\n") },
		"forward-char":            func() { c.forward("", forward) },
		"vi-forward-char":         func() { c.forward("\n", viForward) },
	})
}

// forward moves the cursor over the next character. At the last one the library's
// command takes a suggestion.
func (c characters) forward(stop string, suggestion func()) {
	if c.lib.Cursor().Pos() >= c.lib.Line().Len()-1 {
		suggestion()
		return
	}
	c.move(true, stop)
}

// move moves the cursor over as many characters as the typed count says, and not
// over one of those in stop.
func (c characters) move(after bool, stop string) {
	c.lib.History.SkipSave()
	_, to := c.span([]rune(*c.lib.Line()), after, stop)
	c.lib.Cursor().Set(to)
}

// span returns where the character at the cursor begins, and what place is as many
// characters after that or before it as the typed count says, without one in stop.
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

// piece returns how many runes before a place of the line, or after it, are one
// character.
func (c characters) piece(line []rune, at int, after bool) int {
	at = min(at, len(line))
	if n := c.folds.tokenAt(line, at, after); n > 0 {
		return n
	}
	if !after {
		return at - start(line[:at], max(at-1, 0))
	}
	cluster, _ := ansi.FirstGraphemeCluster(string(line[at:]), ansi.GraphemeWidth)
	return utf8.RuneCountInString(cluster)
}

// start returns where the character begins that contains a place of the line: vi's
// keys leave the cursor on the last rune of a line.
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

// take is remove for the keys of vi: as many characters as the typed count says,
// within the line, and p puts them back.
func (c characters) take(after bool) {
	line := []rune(*c.lib.Line())
	from, to := c.span(line, after, "\n")
	begin, end := min(from, to), max(from, to)
	if begin < end {
		c.lib.Buffers.Write(line[begin:end]...)
	}
	c.cut(begin, end)
}

// removeWord removes what is before the cursor back to a space, as shells do; the
// library's own stops at punctuation. Ctrl-Y puts it back.
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
