package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// shellTitles returns 100 hostile titles: commands, expansions, terminal sequences,
// options and paths.
func shellTitles() []string {
	titles := []string{
		"../../x", "/etc/passwd", "~root", "~", "~+", "$HOME", "${HOME}", "$RANDOM", "CON", "NUL", "COM1.txt", ".", "..", "",
		" ", "\n", "\t", "\r\n", "\x00", "a\x00b", "\xff\xfe", "a\x80b", "\u2028pwned", "-", "--", "-rf", "--json", "-C=x",
		"*", "?", "[a-z]", "**/*", "{1..9}", "!!", "!$", "!-1:p", "^a^pwned^", "#pwned", "\\", "\\n", "\\x1b[31m", "%n", "%F{red}%m%f",
		"%{\x1b[31m%}", "\x1b[31;5mhostile", "\x1b]0;hostile\a", "\x1b[2Jhostile", "\u009b31mhostile", "\u202ehostile", "\u2066hostile\u2069",
		"'", `"`, "`", "$'\\x41'", ":36", "_activeHelp_ pwned", "deadbeef", "pwned:pwned:pwned",
		strings.Repeat("\U0001f600", 100), strings.Repeat("long ", 4000),
	}
	for _, form := range []string{
		"$(%s)", "`%s`", ";%s", "&& %s &", "| %s", "\n%s\n", "(%s)", "<(%s)", "=(%s)", "x\t$(%s)", "\r;%s",
		"';%s;'", `";%s;"`, "${x:-$(%s)}", "a[$(%s)]", "*(e:'%s':)", "${(e):-$(%s)}", "%%{$(%s)%%}", "{a,$(%s)}", ")\n;%s",
	} {
		titles = append(titles, fmt.Sprintf(form, "touch pwned"), fmt.Sprintf(form, "echo>pwned"))
	}
	return titles
}

// Real shells complete conversations with hostile titles: nothing is run, and only
// ids are offered and inserted.
func TestShellsRunNoTitle(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix terminal")
	}
	binary := buildHobnob(t)
	t.Run("hobnob", func(t *testing.T) { completeInHobnob(newShellHome(t, binary, "sh")) })
	t.Run("bash", func(t *testing.T) { completeInBash(newShellHome(t, binary, "bash")) })
	t.Run("zsh", func(t *testing.T) { completeInZsh(newShellHome(t, binary, "zsh")) })
	t.Run("fish", func(t *testing.T) { completeInFish(newShellHome(t, binary, "fish")) })
}

// completeInHobnob checks the completions that every shell receives.
func completeInHobnob(h *shellHome) {
	h.eachLine(func(line string, ids []string) {
		var words []string
		for _, candidate := range h.candidates(line) {
			word, description, _ := strings.Cut(candidate, "\t")
			words = append(words, word)
			if i := strings.IndexFunc(description, func(r rune) bool {
				return strings.ContainsRune("`$\\\"'<>|;&(){}[]!*?~#", r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
			}); i >= 0 {
				h.t.Errorf("%q describes %s", description, word)
			}
		}
		h.equalWords(line, words, ids)
	})
	db := openDatabase(h.t, filepath.Join(h.dir, history.FileName))
	for _, id := range []string{"$(pwned)", "`pwned`", "a b", "", "\x1b[2J", "_activeHelp_ pwned"} {
		h.insert(db, id, "the id is none", "none", 1)
	}
	h.equalWords("no ids", h.candidates("hobnob -p none conversations show "), []string{})
}

// completeInBash calls the completion function for each of readline's completion
// types, and then completes with readline.
func completeInBash(h *shellHome) {
	prepareBash(h)

	// The completion types are TAB, TAB TAB, menu-complete and insert-completions.
	const complete = `source ~/bashrc 2>/dev/null
COLUMNS=120 COMP_LINE=$1 COMP_POINT=${#1} COMP_KEY=9 COMP_TYPE=$2
read -ra COMP_WORDS <<<"$1"
COMP_CWORD=${#COMP_WORDS[@]}
COMP_WORDS+=("")
__start_hobnob hobnob "" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"`
	h.eachLine(func(line string, ids []string) {
		for _, kind := range []string{"9", "63", "37", "42"} {
			var words []string
			for candidate := range strings.Lines(h.command(h.shell, "-c", complete, "bash", line, kind)) {
				word := strings.TrimSuffix(candidate, "\n")
				if kind == "9" || kind == "63" {
					word, _, _ = strings.Cut(word, "  (")
					word = strings.TrimRight(word, " ")
				}
				words = append(words, word)
			}
			h.equalWords(line+kind, words, ids)
		}
	})
	h.nothingRan()

	s := startBash(h)
	h.eachLine(func(line string, ids []string) {
		s.list(line, ids)
		s.press("\x1b*")
		s.equalLine(line + strings.Join(ids, " "))
		s.completesBeginnings(line, ids)
	})
	s.trap()
}

func prepareBash(h *shellHome) {
	library := bashCompletion(h.t)
	h.write(filepath.Join(h.dir, "hobnob.bash"), h.command(h.binary, "completion", "bash"), 0o600)
	h.write(filepath.Join(h.dir, "bashrc"), "source "+library+"\nsource ~/hobnob.bash\nunset HISTFILE\nPS1='"+shellPrompt+" '\n"+
		`bind -x '"\C-x\C-d": printf "%s\n" "$READLINE_LINE" >~/line'`+"\n", 0o600)
}

// startBareBash starts bash without the bash-completion package.
func startBareBash(h *shellHome) *shellTerminal {
	h.write(filepath.Join(h.dir, "bashrc"), "eval \"$(hobnob completion bash)\"\nunset HISTFILE\nunset -f _init_completion _get_comp_words_by_ref _filedir\nPS1='"+shellPrompt+" '\n"+
		`bind -x '"\C-x\C-d": printf "%s\n" "$READLINE_LINE" >~/line'`+"\n", 0o600)
	return h.interactive("--rcfile", filepath.Join(h.dir, "bashrc"), "-i")
}

func startBash(h *shellHome) *shellTerminal {
	prepareBash(h)
	return h.interactive("--rcfile", filepath.Join(h.dir, "bashrc"), "-i")
}

// bashCompletion returns the path of the bash-completion package.
func bashCompletion(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/share/bash-completion/bash_completion", "/usr/local/share/bash-completion/bash_completion", "/opt/homebrew/share/bash-completion/bash_completion"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	skipWithout(t, "bash-completion")
	return ""
}

// completeInZsh cycles through the menu, which inserts every candidate once.
func completeInZsh(h *shellHome) {
	s := startZsh(h)
	record := filepath.Join(h.dir, "lines")
	h.eachLine(func(line string, ids []string) {
		s.list(line, ids)
		s.completesBeginnings(line, ids)
		s.press("\x15" + line)
		s.equalLine(line)
		_ = os.Remove(record)
		s.press(strings.Repeat("\x18\x0e", len(ids)))
		var words []string
		s.await("the last of the menu", func() bool {
			text, _ := os.ReadFile(record)
			words = nil
			for inserted := range strings.Lines(string(text)) {
				word := strings.TrimSpace(strings.TrimPrefix(inserted, line))
				if len(words) == 0 || words[len(words)-1] != word {
					words = append(words, word)
				}
			}
			return len(words) >= len(ids)
		})
		// zsh sorts the candidates.
		h.equalWords(line, slices.Sorted(slices.Values(words)), slices.Sorted(slices.Values(ids)))
	})
	s.trap()
}

func startZsh(h *shellHome) *shellTerminal {
	h.write(filepath.Join(h.dir, "functions", "_hobnob"), h.command(h.binary, "completion", "zsh"), 0o600)
	h.write(filepath.Join(h.dir, ".zshrc"), `unset HISTFILE
fpath=(~/functions $fpath)
autoload -Uz compinit && compinit -D -u
LISTMAX=0
setopt PROMPT_SUBST PROMPT_PERCENT BANG_HIST EXTENDED_GLOB
dump() { print -r -- "$BUFFER" >~/line }
zle -N dump
record() { print -r -- "$BUFFER" >>~/lines }
zle -N zle-line-pre-redraw record
bindkey -e
bindkey '^X^D' dump '^X^N' menu-complete '^U' kill-whole-line
PS1='`+shellPrompt+` '
`, 0o600)
	return h.interactive("-d", "-i")
}

// completeInFish uses fish's complete -C, and then its pager.
func completeInFish(h *shellHome) {
	prepareFish(h)
	h.eachLine(func(line string, ids []string) {
		var words []string
		for candidate := range strings.Lines(h.command(h.shell, "-c", "complete -C $argv[1]", line)) {
			word, _, _ := strings.Cut(strings.TrimSuffix(candidate, "\n"), "\t")
			words = append(words, word)
		}
		h.equalWords(line, words, ids)
	})
	h.nothingRan()

	s := startFish(h)
	h.eachLine(func(line string, ids []string) {
		s.list(line, ids)
		for _, id := range ids[:3] {
			s.equalLine(line + id)
			s.press("\t")
		}
		s.completesBeginnings(line, ids)
	})
	s.trap()
}

func prepareFish(h *shellHome) {
	h.write(filepath.Join(h.dir, "fish", "completions", "hobnob.fish"), h.command(h.binary, "completion", "fish"), 0o600)
	h.write(filepath.Join(h.dir, "fish", "config.fish"), `set -g fish_greeting
set -g fish_private_mode 1
function fish_prompt; echo -n '`+shellPrompt+` '; end
bind \cx\cd 'commandline >~/line'
bind \cu 'commandline -f cancel' 'commandline ""'
`, 0o600)
}

func startFish(h *shellHome) *shellTerminal {
	prepareFish(h)
	return h.interactive("-i")
}
