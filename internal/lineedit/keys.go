package lineedit

import (
	"errors"
	"fmt"
	"io"
	"os/user"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
)

// errLeft tells the library that the text was not accepted.
var errLeft = errors.New("left")

const (
	// beginKey is a key that no keyboard has; it stands for the text that an
	// editor begins with.
	beginKey = "\x1b[9999~"

	beginCommand   = "hobnob-begin"
	newlineCommand = "hobnob-newline"
	editCommand    = "hobnob-editor"
	suspendCommand = "hobnob-suspend"
)

func (e *Editor) newShell() *readline.Shell {
	shell := readline.NewShell()
	e.readInputrc(shell)
	for option, value := range map[string]any{
		// Asking the terminal where its cursor is loses keys that are typed meanwhile,
		// and hangs where nothing answers. reserve does what the answer is needed for.
		"cursor-position-probe":  false,
		"enable-bracketed-paste": true,
		// Letters such as é are letters, not Meta and something; see escapeMeta.
		"convert-meta": false, "input-meta": true, "output-meta": true,
		"echo-control-characters": false, // it would be drawn over the text
		// Tab shows what there is, and takes it one after another when it is pressed again.
		"menu-complete-display-prefix": true,
	} {
		_ = shell.Config.Set(option, value)
	}
	escapeMeta(shell.Config.Binds)
	shell.Keymap.Register(map[string]func(){
		// The library's own inserts the first rune of a character alone, and moves the
		// cursor by the columns of a wide one.
		"self-insert":  func() { e.insert(string(shell.Keys.Caller())) },
		beginCommand:   func() { e.insert(e.initial) },
		newlineCommand: func() { e.insert("\n") },
		editCommand:    func() { e.wants = true; leave(shell) },
		suspendCommand: func() { e.suspends = true; leave(shell) },
	})
	e.moveCommands(shell)
	e.strayCommands(shell)
	e.searchCommands(shell)
	bindKeys(shell.Config)
	if !e.streams.OutColor {
		_ = shell.Config.Set("completion-selection-style", "\x1b[7m")
	}
	shell.AcceptMultiline = func(line []rune) bool { return !openQuote(string(line)) }
	shell.PasteTransformer = e.folds.fold
	shell.SyntaxHighlighter = func(line []rune) string {
		e.reserve(line)
		e.changed(e.folds.unfold(string(line)))
		select {
		case e.drawn <- struct{}{}:
		default:
		}
		return string(line)
	}
	shell.Completer = func(line []rune, cursor int) readline.Completions {
		return e.complete(string(line[:min(cursor, len(line))]))
	}
	if e.History == nil {
		e.History = &History{}
	}
	shell.History.Delete()
	shell.History.Add("history", &historySource{e.History, &e.folds})
	return shell
}

// readInputrc reads the .inputrc of HOME: the library looks for it where the system's
// list of users has the home directory.
func (e *Editor) readInputrc(shell *readline.Shell) {
	home := e.streams.Getenv("HOME")
	if home == "" || e.streams.Getenv("INPUTRC") != "" || runtime.GOOS == "windows" {
		return
	}
	err := inputrc.UserDefault(&user.User{HomeDir: home}, shell.Config, inputrc.WithMode("emacs"), inputrc.WithTerm(e.streams.Getenv("TERM")))
	if err == nil && shell.Config.GetString("editing-mode") == "vi" {
		shell.Keymap.SetMain("vi-insert")
	}
}

// leave ends the editing with the text as it is.
func leave(shell *readline.Shell) {
	shell.Display.AcceptLine()
	shell.History.Accept(false, false, errLeft)
}

// escapeMeta writes keys with Meta as what terminals send for them, Escape and the
// key, where the library means the eighth bit, which is a letter in UTF-8.
func escapeMeta(keymaps map[string]map[string]inputrc.Bind) {
	for name, binds := range keymaps {
		escaped := make(map[string]inputrc.Bind, len(binds))
		for key, bind := range binds {
			if !strings.ContainsFunc(key, inputrc.IsMeta) {
				escaped[key] = bind
			}
		}
		if strings.HasPrefix(name, "vi") {
			// There Escape leaves the inserting and must not wait for another key.
			keymaps[name] = escaped
			continue
		}
		for key, bind := range binds {
			var b strings.Builder
			for _, r := range key {
				if inputrc.IsMeta(r) {
					b.WriteString("\x1b")
					r = inputrc.Demeta(r)
				}
				b.WriteRune(r)
			}
			if _, taken := escaped[b.String()]; !taken {
				escaped[b.String()] = bind
			}
		}
		keymaps[name] = escaped
	}
}

// reserve scrolls the screen up where the text needs rows below the last one, and
// one more. The library moves down and up again after it has drawn, and would end
// a row too high at the bottom of the screen. It draws into a buffer: what is
// written here comes before, while the cursor is still where the last drawing
// left it.
func (e *Editor) reserve(line []rune) {
	columns := e.streams.Columns()
	need := max(lastRow(string(line), e.indent, columns)-e.cursorRow, 0) + 1
	_, _ = io.WriteString(e.streams.Out, strings.Repeat("\x1bD", need)+fmt.Sprintf("\x1b[%dA", need))
	before := line[:min(e.shell.Cursor().Pos(), len(line))]
	e.cursorRow = lastRow(string(before), e.indent, columns)
}

// lastRow is the row, from 0, in which a text ends whose lines all begin after
// indent columns.
func lastRow(text string, indent, columns int) int {
	row := strings.Count(text, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		row += (indent + ansi.StringWidth(line)) / columns
	}
	return row
}

// bindKeys adds the keys that are not Readline's own.
func bindKeys(config *inputrc.Config) {
	for keymap := range config.Binds {
		for _, introducer := range []string{"\x1b[", "\x1bO"} {
			if strings.HasPrefix(keymap, "vi") || strings.HasPrefix(keymap, "emacs") {
				_ = config.Bind(keymap, introducer, skipCommand, false)
			}
		}
	}
	for _, keymap := range []string{"emacs", "emacs-standard", "vi-insert"} {
		keys := map[string]string{
			beginKey:   beginCommand,
			"\x18\x05": editCommand,
			"\x1a":     suspendCommand,
			// Shift-Enter and Alt-Enter of terminals that tell them apart (xterm's
			// modifyOtherKeys and https://sw.kovidgoyal.net/kitty/keyboard-protocol).
			"\x1b[13;2u": newlineCommand, "\x1b[13;3u": newlineCommand, "\x1b[27;2;13~": newlineCommand, "\x1b[27;3;13~": newlineCommand,
		}
		if keymap != "vi-insert" {
			keys["\x1b\r"], keys["\x1b\n"] = newlineCommand, newlineCommand
			keys["\x1b\x7f"] = "backward-kill-word" // the library means another key by \M-\C-?
		}
		for key, command := range keys {
			_ = config.Bind(keymap, key, command, false)
		}
		for _, better := range []struct{ usual, command, keys string }{
			{"complete", "menu-complete", "\t"},
			{"previous-history", "up-line-or-history", "\x1b[A \x1bOA"},
			{"next-history", "down-line-or-history", "\x1b[B \x1bOB"},
		} {
			for _, key := range strings.Split(better.keys, " ") {
				if config.Binds[keymap][key].Action == better.usual { // .inputrc says nothing else
					_ = config.Bind(keymap, key, better.command, false)
				}
			}
		}
	}
}
