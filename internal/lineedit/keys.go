package lineedit

import (
	"strings"

	"github.com/reeflective/readline/inputrc"
)

const (
	// beginKey is a key sequence that no keyboard sends. It inserts the initial text.
	beginKey = "\x1b[9999~"

	beginCommand   = "hobnob-begin"
	newlineCommand = "hobnob-newline"
	editCommand    = "hobnob-editor"
	suspendCommand = "hobnob-suspend"
	skipCommand    = "hobnob-skip"
)

// escapeMeta replaces keys with Meta by Escape and the key, as terminals send them. The
// library uses the eighth bit, which is part of a letter in UTF-8.
func escapeMeta(keymaps map[string]map[string]inputrc.Bind) {
	for name, binds := range keymaps {
		escaped := make(map[string]inputrc.Bind, len(binds))
		for key, bind := range binds {
			if !strings.ContainsFunc(key, inputrc.IsMeta) {
				escaped[key] = bind
			}
		}
		keymaps[name] = escaped
		if strings.HasPrefix(name, "vi") {
			continue // Escape leaves insert mode and must not wait for another key
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
	}
}

// bindKeys adds key bindings to those of Readline.
func bindKeys(config *inputrc.Config) {
	for keymap := range config.Binds {
		if strings.HasPrefix(keymap, "vi") || strings.HasPrefix(keymap, "emacs") || keymap == "menu-select" {
			_ = config.Bind(keymap, "\x1b[", skipCommand, false)
			_ = config.Bind(keymap, "\x1bO", skipCommand, false)
			_ = config.Bind(keymap, "\x1b]", skipCommand, false)
		}
	}
	for _, keymap := range []string{"emacs", "emacs-standard", "vi-insert"} {
		keys := map[string]string{
			beginKey:   beginCommand,
			"\x18\x05": editCommand,
			"\x1a":     suspendCommand,
			// Shift-Enter and Alt-Enter of terminals that distinguish them (xterm's
			// modifyOtherKeys and https://sw.kovidgoyal.net/kitty/keyboard-protocol).
			"\x1b[13;2u": newlineCommand, "\x1b[13;3u": newlineCommand, "\x1b[27;2;13~": newlineCommand, "\x1b[27;3;13~": newlineCommand,
		}
		if keymap != "vi-insert" {
			keys["\x1b\r"], keys["\x1b\n"] = newlineCommand, newlineCommand
			keys["\x1b\x7f"] = "backward-kill-word" // in the library, \M-\C-? is another key
		}
		for key, command := range keys {
			_ = config.Bind(keymap, key, command, false)
		}
		if keymap == "vi-insert" {
			bindArrows(config.Binds[keymap])
		}
		for _, better := range []struct{ usual, command, keys string }{
			{"complete", "menu-complete", "\t"},
			{"previous-history", "up-line-or-history", "\x1b[A \x1bOA"},
			{"next-history", "down-line-or-history", "\x1b[B \x1bOB"},
		} {
			for key := range strings.SplitSeq(better.keys, " ") {
				if config.Binds[keymap][key].Action == better.usual { // unless .inputrc changes it
					_ = config.Bind(keymap, key, better.command, false)
				}
			}
		}
	}
}

// bindArrows binds the arrow keys, Home, End and Delete, as GNU Readline does in every
// keymap, unless .inputrc binds them.
func bindArrows(binds map[string]inputrc.Bind) {
	for _, arrow := range []struct{ command, keys string }{
		{"up-line-or-history", "\x1b[A \x1bOA"}, {"down-line-or-history", "\x1b[B \x1bOB"},
		{"forward-char", "\x1b[C \x1bOC"}, {"backward-char", "\x1b[D \x1bOD"},
		{"beginning-of-line", "\x1b[H \x1bOH \x1b[1~"}, {"end-of-line", "\x1b[F \x1bOF \x1b[4~"}, {"delete-char", "\x1b[3~"},
	} {
		for key := range strings.SplitSeq(arrow.keys, " ") {
			if _, taken := binds[key]; !taken {
				binds[key] = inputrc.Bind{Action: arrow.command}
			}
		}
	}
}
