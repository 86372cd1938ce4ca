package lineedit

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/reeflective/readline"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// The keys that mean something while the history is searched.
const (
	keyCtrlC     = 0x03
	keyCtrlG     = 0x07
	keyBackspace = 0x08
	keyCtrlR     = 0x12
	keyCtrlS     = 0x13
	keyEscape    = 0x1b
	keyDelete    = 0x7f
)

// search looks for an earlier text while its words are typed, as Ctrl-R does in a
// shell: Ctrl-R goes on to an older one, Ctrl-S to a newer one, Ctrl-G and Ctrl-C
// give up, and any other key takes the text and does what it does. The library's
// own search draws a list that does not fit on the screen.
func (e *Editor) search() {
	shell := e.shell
	original := string(*shell.Line())
	s := historySearch{texts: e.History.texts, at: len(e.History.texts)}
	rest := e.waitingKeys()
	for {
		e.showSearch(&s)
		var key string
		key, rest = e.nextKey(rest)
		switch {
		case key == "":
			return
		case key[0] == keyCtrlR:
			s.step(-1)
		case key[0] == keyCtrlS:
			s.step(1)
		case key[0] == keyBackspace, key[0] == keyDelete:
			s.shorten()
		case key[0] == keyCtrlC, key[0] == keyCtrlG:
			e.endSearch(original)
			e.feed(rest)
			return
		case key[0] < ' ':
			if !s.found() {
				e.endSearch(original)
			} else {
				e.endSearch(e.folds.fold(s.texts[s.at]))
			}
			if key[0] == keyEscape && rest == "" {
				return // Escape alone ends the search and no more
			}
			e.feed(key + rest)
			return
		default:
			s.add(key)
		}
	}
}

func (e *Editor) showSearch(s *historySearch) {
	shell := e.shell
	hint := "search: " + s.query
	if s.found() {
		text := []rune(e.folds.fold(s.texts[s.at]))
		shell.Line().Set(text...)
		shell.Cursor().Set(len(text))
	} else if s.query != "" {
		hint = "nothing was typed before with: " + s.query
	}
	shell.Hint.Set(e.streams.Truncate(terminal.CleanLine(hint), e.streams.Columns()-1) + " ")
	shell.Display.Refresh()
}

func (e *Editor) endSearch(line string) {
	text := []rune(line)
	e.shell.Hint.Reset()
	e.shell.Line().Set(text...)
	e.shell.Cursor().Set(len(text))
}

// waitingKeys takes what was typed and read and has not come to its turn.
func (e *Editor) waitingKeys() string {
	var got []byte
	for {
		b, empty := e.shell.Keys.Pop()
		if empty {
			return string(got)
		}
		got = append(got, b)
	}
}

// nextKey returns the next character of what waits, or that is typed, and what was
// read after it. At the end of the input it is empty.
func (e *Editor) nextKey(waiting string) (key, rest string) {
	got := []byte(waiting)
	for !utf8.FullRune(got) {
		buffer := make([]byte, 1024)
		in, ok := e.streams.In.(*os.File)
		if !ok {
			return "", ""
		}
		n, err := in.Read(buffer)
		if err != nil || n == 0 {
			return "", ""
		}
		got = append(got, buffer[:n]...)
	}
	_, size := utf8.DecodeRune(got)
	return string(got[:size]), string(got[size:])
}

// feed gives keys to the library as if they were typed. It takes characters, but
// what is pasted as bytes.
func (e *Editor) feed(keys string) {
	for keys != "" {
		before, pasted, found := strings.Cut(keys, pasteBegin)
		e.shell.Keys.Feed(false, []rune(before)...)
		if !found {
			return
		}
		pasted, keys, found = strings.Cut(pasted, pasteEnd)
		pasted = pasteBegin + pasted
		if found {
			pasted += pasteEnd
		}
		for _, b := range []byte(pasted) {
			e.shell.Keys.Feed(false, rune(b))
		}
	}
}

// historySearch is the state of a search.
type historySearch struct {
	texts []string // the latest last
	query string
	at    int // the text that is shown; len(texts) for none
}

func (s *historySearch) found() bool { return s.at < len(s.texts) }

// matches ignores case unless the query has a capital.
func (s *historySearch) matches(text string) bool {
	if strings.ToLower(s.query) == s.query {
		text = strings.ToLower(text)
	}
	return strings.Contains(text, s.query)
}

// from looks for a match, from a place on and in a direction.
func (s *historySearch) from(at, direction int) bool {
	for ; at >= 0 && at < len(s.texts); at += direction {
		if s.matches(s.texts[at]) {
			s.at = at
			return true
		}
	}
	return false
}

// add makes the query longer. The text that is shown stays if it still matches.
func (s *historySearch) add(key string) {
	s.query += key
	if !s.from(min(s.at, len(s.texts)-1), -1) {
		s.at = len(s.texts)
	}
}

// shorten takes the last character of the query back and begins at the newest.
func (s *historySearch) shorten() {
	_, size := utf8.DecodeLastRuneInString(s.query)
	s.query = s.query[:len(s.query)-size]
	s.at = len(s.texts)
	if s.query != "" {
		s.from(len(s.texts)-1, -1)
	}
}

// step goes to the next match in a direction, if there is one.
func (s *historySearch) step(direction int) {
	if s.query != "" {
		s.from(s.at+direction, direction)
	}
}

// searchCommands are the library's names for what search does.
func (e *Editor) searchCommands(shell *readline.Shell) {
	shell.Keymap.Register(map[string]func(){
		"reverse-search-history": e.search, "forward-search-history": e.search,
		"incremental-reverse-search-history": e.search, "incremental-forward-search-history": e.search,
	})
}
