package lineedit

import (
	"strings"
	"unicode/utf8"

	"github.com/reeflective/readline"
)

// search is an incremental search of the history, like Ctrl-R in a shell: Ctrl-R goes
// to an older match, Ctrl-S to a newer one, Ctrl-G and Ctrl-C cancel, and any other key
// accepts the match and is then handled as usual. The library's own search draws a list
// that may not fit on the screen.
type search struct {
	lib     *readline.Shell
	keys    keyQueue
	folds   *folds
	history *History
	hint    func(text string) string // shortens a hint to the width of the screen
}

// register replaces the commands of the library.
func (s search) register() {
	s.lib.Keymap.Register(map[string]func(){
		"reverse-search-history": s.run, "forward-search-history": s.run,
		"incremental-reverse-search-history": s.run, "incremental-forward-search-history": s.run,
	})
}

func (s search) run() {
	original := string(*s.lib.Line())
	m := matches{texts: s.history.texts, at: len(s.history.texts)}
	rest := s.keys.take()
	for {
		s.show(&m)
		var key string
		key, rest = s.keys.next(rest)
		switch key {
		case "":
			return
		case "\x12": // Ctrl-R
			m.step(-1)
		case "\x13": // Ctrl-S
			m.step(1)
		case "\b", "\x7f":
			m.shorten()
		case "\x03", "\a": // Ctrl-C, Ctrl-G
			s.end(original)
			s.keys.feed(rest)
			return
		default:
			if key >= " " {
				m.add(key)
				continue
			}
			if m.found() {
				original = s.folds.fold(m.texts[m.at])
			}
			s.end(original)
			if key == "\x1b" && rest == "" {
				return // Escape without a sequence only ends the search
			}
			s.keys.feed(key + rest)
			return
		}
	}
}

func (s search) show(m *matches) {
	hint := "search: " + m.query
	if m.found() {
		s.set(s.folds.fold(m.texts[m.at]))
	} else if m.query != "" {
		hint = "no earlier input contains: " + m.query
	}
	s.lib.Hint.Set(s.hint(hint))
	s.lib.Display.Refresh()
}

func (s search) end(line string) {
	s.lib.Hint.Reset()
	s.set(line)
}

func (s search) set(line string) {
	text := []rune(line)
	s.lib.Line().Set(text...)
	s.lib.Cursor().Set(len(text))
}

// matches is the state of a search.
type matches struct {
	texts []string // latest last
	query string
	at    int // index of the match; len(texts) for none
}

func (m *matches) found() bool { return m.at < len(m.texts) }

// contains reports whether text contains the query. It ignores case unless the query
// has upper-case letters.
func (m *matches) contains(text string) bool {
	if strings.ToLower(m.query) == m.query {
		text = strings.ToLower(text)
	}
	return strings.Contains(text, m.query)
}

// from moves to the first match from an index on, in a direction, and reports whether
// there is one. An empty query has no matches.
func (m *matches) from(at, direction int) bool {
	for ; m.query != "" && at >= 0 && at < len(m.texts); at += direction {
		if m.contains(m.texts[at]) {
			m.at = at
			return true
		}
	}
	return false
}

// add appends to the query. The current match stays if it still matches.
func (m *matches) add(key string) {
	m.query += key
	if !m.from(min(m.at, len(m.texts)-1), -1) {
		m.at = len(m.texts)
	}
}

// shorten removes the last character of the query and searches again from the newest
// text.
func (m *matches) shorten() {
	_, size := utf8.DecodeLastRuneInString(m.query)
	m.query = m.query[:len(m.query)-size]
	m.at = len(m.texts)
	m.step(-1)
}

// step moves to the next match in a direction, if there is one.
func (m *matches) step(direction int) { m.from(m.at+direction, direction) }
