package lineedit

import (
	"strings"

	"github.com/reeflective/readline/inputrc"
)

const (
	// beginKey is a key that no keyboard has; it inserts the text to begin with.
	beginKey = "\x1b[9999~"

	beginCommand   = "hobnob-begin"
	newlineCommand = "hobnob-newline"
	editCommand    = "hobnob-editor"
	suspendCommand = "hobnob-suspend"
	skipCommand    = "hobnob-skip"
)

// escapeMeta writes keys with Meta as terminals send them, Escape and the key, where
// the library means the eighth bit, which in UTF-8 is part of a letter.
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
			continue // there Escape ends the inserting and must not wait for another key
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

// bindKeys adds the keys that are not Readline's own.
func bindKeys(config *inputrc.Config) {
	for keymap := range config.Binds {
		if strings.HasPrefix(keymap, "vi") || strings.HasPrefix(keymap, "emacs") {
			_ = config.Bind(keymap, "\x1b[", skipCommand, false)
			_ = config.Bind(keymap, "\x1bO", skipCommand, false)
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
			for key := range strings.SplitSeq(better.keys, " ") {
				if config.Binds[keymap][key].Action == better.usual { // .inputrc does not change it
					_ = config.Bind(keymap, key, better.command, false)
				}
			}
		}
	}
}
