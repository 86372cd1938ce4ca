package lineedit

import (
	"fmt"
	"io"
	"os/user"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// shell is readline as an Editor uses it.
type shell struct {
	lib     *readline.Shell
	folds   folds
	keys    keyQueue
	screen  screen
	initial string        // the folded text to begin with
	drawn   chan struct{} // receives a value when the line was drawn
}

func (e *Editor) newShell() *shell {
	lib := readline.NewShell()
	s := &shell{
		lib: lib, keys: keyQueue{lib, e.streams.In}, drawn: make(chan struct{}, 1),
		screen: screen{out: e.streams.Out, columns: e.streams.Columns},
	}
	readInputrc(lib, e.streams.Getenv)
	for option, value := range map[string]any{
		// Asking the terminal for its cursor loses keys typed meanwhile and hangs where
		// nothing answers. reserve does what the answer is needed for.
		"cursor-position-probe":  false,
		"enable-bracketed-paste": true,
		// Letters such as é are letters, not Meta and something; see escapeMeta.
		"convert-meta": false, "input-meta": true, "output-meta": true,
		"echo-control-characters": false, // they would be drawn over the text
		// Tab lists the candidates, and inserts one after another when pressed again.
		"menu-complete-display-prefix": true,
	} {
		_ = lib.Config.Set(option, value)
	}
	escapeMeta(lib.Config.Binds)
	// The library's own self-insert inserts only the first rune of a character and
	// moves the cursor by the columns of a wide one.
	insert := func(text string) { lib.Cursor().InsertAt([]rune(text)...) }
	lib.Keymap.Register(map[string]func(){
		"self-insert":  func() { insert(string(lib.Keys.Caller())) },
		beginCommand:   func() { insert(s.initial) },
		newlineCommand: func() { insert("\n") },
		editCommand:    func() { leave(lib, ErrWantsEditor) },
		suspendCommand: func() { leave(lib, errSuspended) },
	})
	if e.History == nil {
		e.History = &History{}
	}
	s.keys.register()
	characters{lib, &s.folds}.register()
	search{lib, s.keys, &s.folds, e.History, func(hint string) string {
		return e.streams.Truncate(terminal.CleanLine(hint), e.streams.Columns()-1) + " "
	}}.register()
	bindKeys(lib.Config)
	if !e.streams.OutColor {
		_ = lib.Config.Set("completion-selection-style", "\x1b[7m")
	}
	lib.AcceptMultiline = func(line []rune) bool { return !openQuote(string(line)) }
	lib.PasteTransformer = s.folds.fold
	lib.SyntaxHighlighter = func(line []rune) string {
		s.screen.reserve(line, lib.Cursor().Pos())
		e.changed(s.folds.unfold(string(line)))
		select {
		case s.drawn <- struct{}{}:
		default:
		}
		return string(line)
	}
	lib.Completer = func(line []rune, cursor int) readline.Completions {
		if e.Complete == nil {
			return readline.Completions{}
		}
		before := string(line[:min(cursor, len(line))])
		candidates, replaces := e.Complete(before)
		completions := menu(e.streams, candidates)
		completions.PREFIX = before[len(before)-min(replaces, len(before)):]
		return completions
	}
	lib.History.Delete()
	lib.History.Add("history", &historySource{e.History, &s.folds})
	return s
}

// menu is the list of candidates that Tab shows. A list higher than the screen
// would scroll the line away.
func menu(s *terminal.Streams, candidates []Candidate) readline.Completions {
	described := true
	if most := s.Rows() - 4; most > 0 && len(candidates) > most {
		described, candidates = false, candidates[:min(len(candidates), 3*most)]
	}
	values := make([]string, 0, 2*len(candidates))
	for _, c := range candidates {
		if !described { // more of them fit in columns
			c.Description = ""
		}
		values = append(values, c.Value, s.Truncate(terminal.CleanLine(c.Description), s.Columns()/2))
	}
	return readline.CompleteValuesDescribed(values...).NoSort()
}

// readInputrc reads the .inputrc of HOME: the library looks for it in the home
// directory of the system's user database.
func readInputrc(lib *readline.Shell, getenv terminal.Env) {
	home := getenv("HOME")
	if home == "" || getenv("INPUTRC") != "" || runtime.GOOS == "windows" {
		return
	}
	err := inputrc.UserDefault(&user.User{HomeDir: home}, lib.Config, inputrc.WithMode("emacs"), inputrc.WithTerm(getenv("TERM")))
	if err == nil && lib.Config.GetString("editing-mode") == "vi" {
		lib.Keymap.SetMain("vi-insert")
	}
}

// leave ends the editing with the text as it is and an error.
func leave(lib *readline.Shell, err error) {
	lib.Display.AcceptLine()
	lib.History.Accept(false, false, err)
}

// screen is where the library draws the text.
type screen struct {
	out       io.Writer
	columns   func() int
	indent    int // columns of the prompt
	cursorRow int // of the text, where the last drawing left the cursor
}

// reserve scrolls the screen up where the text needs rows below the last one, and
// one more. The library moves down and up again after drawing, and would end a row
// too high at the bottom of the screen. It draws into a buffer: what is written
// here comes before, while the cursor is still where the last drawing left it.
func (s *screen) reserve(line []rune, cursor int) {
	columns := s.columns()
	need := max(lastRow(string(line), s.indent, columns)-s.cursorRow, 0) + 1
	_, _ = io.WriteString(s.out, strings.Repeat("\x1bD", need)+fmt.Sprintf("\x1b[%dA", need))
	s.cursorRow = lastRow(string(line[:min(cursor, len(line))]), s.indent, columns)
}

// lastRow returns the row, from 0, in which a text ends whose lines all begin after
// indent columns.
func lastRow(text string, indent, columns int) int {
	row := strings.Count(text, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		row += (indent + ansi.StringWidth(line)) / columns
	}
	return row
}
