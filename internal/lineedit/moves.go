package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
)

// moveCommands are the library's names for what moves over characters and removes
// them: its own take single runes, of which people see several as one.
func (e *Editor) moveCommands(shell *readline.Shell) {
	forward := shell.Keymap.Commands()["forward-char"]
	viForward := shell.Keymap.Commands()["vi-forward-char"]
	movement := shell.Keymap.Commands()["vi-movement-mode"]
	shell.Keymap.Register(map[string]func(){
		"vi-movement-mode": func() {
			movement() // a step to the left, by a rune
			shell.Cursor().Set(e.start([]rune(*shell.Line()), shell.Cursor().Pos()))
		},
		"backward-delete-char":    func() { e.remove(false) },
		"delete-char":             func() { e.remove(true) },
		"unix-word-rubout":        e.removeWord,
		"vi-delete":               func() { e.take(true) },
		"vi-backward-delete-char": func() { e.take(false) },
		"backward-char":           func() { e.move(false, "") },
		"vi-backward-char":        func() { e.move(false, "\n") },
		"forward-char": func() {
			if e.atLast() {
				forward() // it takes a suggestion
				return
			}
			e.move(true, "")
		},
		"vi-forward-char": func() {
			if e.atLast() {
				viForward()
				return
			}
			e.move(true, "\n")
		},
	})
}

// atLast tells whether the cursor has no more than one rune after it.
func (e *Editor) atLast() bool { return e.shell.Cursor().Pos() >= e.shell.Line().Len()-1 }

// move moves the cursor over a character, as often as a count that was typed says,
// and not over one of those in stop.
func (e *Editor) move(after bool, stop string) {
	e.shell.History.SkipSave()
	line := []rune(*e.shell.Line())
	for range e.shell.Iterations.Get() {
		at := e.start(line, e.shell.Cursor().Pos())
		n := e.piece(line, at, after)
		if !after {
			n = -n
		}
		if n == 0 || strings.ContainsRune(stop, line[min(at, at+n)]) {
			return
		}
		e.shell.Cursor().Set(at + n)
	}
}

// piece returns how many runes before a place of the line, or after it, are one for
// those who look at it: a character with its marks, an emoji, a token.
func (e *Editor) piece(line []rune, at int, after bool) int {
	at = min(at, len(line))
	if n := e.folds.tokenAt(line, at, after); n > 0 {
		return n
	}
	cluster := ""
	if after {
		cluster, _ = ansi.FirstGraphemeCluster(string(line[at:]), ansi.GraphemeWidth)
	} else {
		for rest := string(line[:at]); rest != ""; rest = rest[len(cluster):] {
			cluster, _ = ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		}
	}
	return utf8.RuneCountInString(cluster)
}

// start returns where the character begins that a place of the line is in: vi's keys
// leave the cursor on the last rune of a line.
func (e *Editor) start(line []rune, at int) int {
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

// remove takes the character before the cursor away, or after it.
func (e *Editor) remove(after bool) {
	at := e.shell.Cursor().Pos()
	n := e.piece([]rune(*e.shell.Line()), at, after)
	if after {
		e.cut(at, at+n)
		return
	}
	e.cut(at-n, at)
}

// take is remove for the keys of vi: as often as a count that was typed says, within
// the line, and what is taken can be put back with p.
func (e *Editor) take(after bool) {
	line := []rune(*e.shell.Line())
	at := e.start(line, e.shell.Cursor().Pos())
	begin, end := at, at
	for range e.shell.Iterations.Get() {
		if after {
			end += e.piece(line, end, true)
		} else {
			begin -= e.piece(line, begin, false)
		}
	}
	if n := strings.IndexRune(string(line[at:end]), '\n'); n >= 0 {
		end = at + utf8.RuneCountInString(string(line[at:end])[:n])
	}
	if n := strings.LastIndex(string(line[begin:at]), "\n"); n >= 0 {
		begin = at - utf8.RuneCountInString(string(line[begin:at])[n+1:])
	}
	if begin < end {
		e.shell.Buffers.Write(line[begin:end]...)
	}
	e.cut(begin, end)
}

// removeWord takes away what is before the cursor back to a space, as shells do; the
// library's own stops at punctuation. It can be put back with Ctrl-Y.
func (e *Editor) removeWord() {
	line, end := []rune(*e.shell.Line()), e.shell.Cursor().Pos()
	begin := end
	for inWord := false; begin > 0; {
		n := e.piece(line, begin, false)
		space := n == 1 && unicode.IsSpace(line[begin-1])
		if space && inWord {
			break
		}
		inWord = !space
		begin -= n
	}
	e.shell.Buffers.Write(line[begin:end]...)
	e.cut(begin, end)
}

// cut removes a part of the line.
func (e *Editor) cut(begin, end int) {
	if begin == end {
		return
	}
	e.shell.History.Save()
	e.shell.Line().Cut(begin, end)
	e.shell.Cursor().Set(begin)
}
