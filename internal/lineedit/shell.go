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

// shell is the library with the state of an Editor.
type shell struct {
	lib     *readline.Shell
	folds   folds
	keys    keyQueue
	screen  screen
	initial string        // the initial text, folded
	drawn   chan struct{} // receives a value when the line is drawn
}

func (e *Editor) newShell() *shell {
	lib := readline.NewShell()
	s := &shell{
		lib: lib, keys: keyQueue{lib, e.streams.In}, drawn: make(chan struct{}, 1),
		screen: screen{out: e.streams.Out, columns: e.streams.Columns},
	}
	readInputrc(lib, e.streams.Getenv)
	for option, value := range map[string]any{
		// Querying the cursor position loses keys typed at the same time, and hangs if
		// the terminal does not respond. reserve makes the query unnecessary.
		"cursor-position-probe":  false,
		"enable-bracketed-paste": true,
		// Letters such as é are not keys with Meta; see escapeMeta.
		"convert-meta": false, "input-meta": true, "output-meta": true,
		"echo-control-characters": false, // they would overwrite the text
		// Tab lists the candidates and, pressed again, inserts them in turn.
		"menu-complete-display-prefix": true,
	} {
		_ = lib.Config.Set(option, value)
	}
	escapeMeta(lib.Config.Binds)
	// The library's own self-insert inserts only the first rune of a character, and
	// moves the cursor by the columns of a wide character.
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
	characters{lib, &s.folds, s.keys}.register()
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

// menu returns the list of candidates for Tab. It limits their number, because a list
// higher than the screen would scroll the line away.
func menu(s *terminal.Streams, candidates []Candidate) readline.Completions {
	described := true
	if most := s.Rows() - 4; most > 0 && len(candidates) > most {
		described, candidates = false, candidates[:min(len(candidates), 3*most)]
	}
	values := make([]string, 0, 2*len(candidates))
	for _, c := range candidates {
		if !described { // more candidates fit without descriptions
			c.Description = ""
		}
		values = append(values, c.Value, s.Truncate(terminal.CleanLine(c.Description), s.Columns()/2))
	}
	return readline.CompleteValuesDescribed(values...).NoSort()
}

// readInputrc reads .inputrc in HOME, because the library takes the home directory from
// the user database.
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

// leave ends editing and returns the current text with an error.
func leave(lib *readline.Shell, err error) {
	lib.Display.AcceptLine()
	lib.History.Accept(false, false, err)
}

// screen is the part of the screen in which the library draws the text.
type screen struct {
	out       io.Writer
	columns   func() int
	indent    int // width of the prompt in columns
	cursorRow int // row of the cursor in the text as last drawn
}

// reserve scrolls the screen up if the text needs rows below the last one, and by one
// row more: the library moves the cursor down and up again after drawing, which at the
// bottom of the screen would end one row too high. The library draws into a buffer, so
// reserve writes first, with the cursor still in cursorRow.
func (s *screen) reserve(line []rune, cursor int) {
	columns := s.columns()
	need := max(lastRow(string(line), s.indent, columns)-s.cursorRow, 0) + 1
	_, _ = io.WriteString(s.out, strings.Repeat("\x1bD", need)+fmt.Sprintf("\x1b[%dA", need))
	s.cursorRow = lastRow(string(line[:min(cursor, len(line))]), s.indent, columns)
}

// lastRow returns the row, counted from 0, in which text ends. All its lines are
// indented by indent columns.
func lastRow(text string, indent, columns int) int {
	row := strings.Count(text, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		row += (indent + ansi.StringWidth(line)) / columns
	}
	return row
}
