//go:build unix

package cmd

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// widgetShell starts a shell with the keys of hobnob, and a key that writes the line to
// the file "line".
type widgetShell struct {
	name    string
	file    string // read at the start
	setup   string
	history string // prints the history
	command []string
}

var widgetShells = []widgetShell{
	{"bash", ".bashrc", `PS1='ready> '
eval "$(hobnob completion bash --widget)"
bind -x '"\C-x\C-n": printf "%s\n" "$READLINE_LINE" >~/line'
`, "history", []string{"bash", "--noprofile", "-i"}},
	{"zsh", ".zshrc", `PS1='ready> '
bindkey -e
eval "$(hobnob completion zsh --widget)"
dump() { print -r -- "$BUFFER" >~/line }
zle -N dump
bindkey '^X^N' dump
`, "fc -l 1", []string{"zsh", "-d", "-i"}},
	{"fish", ".config/fish/config.fish", `set -g fish_greeting
function fish_prompt; echo -n 'ready> '; end
hobnob completion fish --widget | source
bind \cx\cn 'commandline >~/line'
`, "history", []string{"fish", "-i"}},
}

// shellScreen is a terminal in which a shell runs.
type shellScreen struct {
	*screen
}

func inWidgetShells(t *testing.T, test func(t *testing.T, s shellScreen, in widgetShell)) {
	t.Helper()
	for _, in := range widgetShells {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(in.name); err != nil {
				skipWithout(t, in.name)
			}
			s := shellScreen{newScreen(t)}
			s.write(in.file, in.setup)
			words := append([]string{"exec", "env", "-u", "TMUX", "HOME=" + s.home, "ZDOTDIR=" + s.home, "HISTFILE=", "HOBNOB_TOKEN=t", "LC_ALL=C.UTF-8",
				"PATH=" + filepath.Join(s.home, "bin") + ":" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0", "TERM=tmux-256color"}, in.command...)
			for i := 1; i < len(words); i++ {
				words[i] = shell.Quote(words[i])
			}
			s.run("respawn-pane", "-k", "cd "+shell.Quote(s.home)+" && "+strings.Join(words, " "))
			s.shows("ready>")
			test(t, s, in)
		})
	}
}

// has waits until the line is line, whatever else is on the screen.
func (s shellScreen) has(line string) {
	s.t.Helper()
	s.until("the line "+line, func() bool { return s.dumped(line) })
}

// clear empties the line.
func (s shellScreen) clear() {
	s.t.Helper()
	s.keys("C-e")
	s.until("an empty line", func() bool {
		s.keys("C-u")
		return s.dumped("")
	})
}

// dumped reports whether the line was line when the shell last wrote it to the file. It
// requests the next one, which a shell that is busy may ignore.
func (s shellScreen) dumped(line string) bool {
	s.t.Helper()
	file := filepath.Join(s.home, "line")
	text, _ := os.ReadFile(file)
	if string(text) == line+"\n" {
		_ = os.Remove(file)
		return true
	}
	s.keys("C-x", "C-n")
	return false
}

// reply sets the reply to all questions.
func (s shellScreen) reply(text string) { s.service.setFault([]string{"replies", text}, -1) }

// hostileLine contains everything that a shell could evaluate, and no newline.
const hostileLine = `-x "it's" $(touch ran) ` + "`touch ran`" + ` ${HOME} \ %s !! *; touch ran # 😀 é`

func TestWidgetReplacesWordsWithCommand(t *testing.T) {
	t.Parallel()
	inWidgetShells(t, func(t *testing.T, s shellScreen, in widgetShell) {
		t.Helper()
		s.keys("M-i")
		s.shows("hobnob: first type what you want to do, or a command to explain")

		const block = "touch ran \\\n  'and \"é\" too'\ntouch ran"
		s.reply("Try this:\n\n```bash\n" + block + "\n```\n")
		s.types(hostileLine)
		s.has(hostileLine)
		s.keys("M-i")
		s.asked(hostileLine)
		s.has(block)
		s.keys("C-_")
		s.has(hostileLine)
		s.clear()

		// The command is run when the user presses Enter, and only it is in the history.
		s.reply("```sh\necho done >result\n```\n")
		s.types("say when it is done")
		s.keys("M-i")
		s.has("echo done >result")
		if _, err := os.Stat(filepath.Join(s.home, "result")); err == nil {
			t.Error("the command was run before Enter")
		}
		s.keys("Enter")
		s.until("the result", func() bool { text, _ := os.ReadFile(filepath.Join(s.home, "result")); return string(text) == "done\n" })
		s.types(in.history + " >past")
		s.keys("Enter")
		s.until("the history", func() bool {
			text, _ := os.ReadFile(filepath.Join(s.home, "past"))
			return strings.Contains(string(text), "echo done")
		})
		if past := s.read("past"); strings.Contains(past, "say when") || strings.Contains(past, "touch ran") {
			t.Errorf("the history contains words or a command that was not run:\n%s", past)
		}
		if _, err := os.Stat(filepath.Join(s.home, "ran")); err == nil {
			t.Error("a part of the line or of the block was run")
		}
	})
}

func TestWidgetPassesLongLinesAndNewlines(t *testing.T) {
	t.Parallel()
	inWidgetShells(t, func(t *testing.T, s shellScreen, _ widgetShell) {
		t.Helper()
		s.reply("```sh\ntrue\n```\n")
		for _, line := range []string{strings.Repeat("long line ", 1000) + "end", "first line\n  second 'line'\n-last"} {
			s.paste(line)
			s.has(line)
			s.keys("M-i")
			s.asked(line)
			s.has("true")
			s.clear()
		}
	})
}

func TestWidgetLeavesTheLineOnFailure(t *testing.T) {
	t.Parallel()
	inWidgetShells(t, func(t *testing.T, s shellScreen, in widgetShell) {
		t.Helper()
		s.types("list the files")
		s.service.setFault([]string{"status", "422", `{"error":{"message":"not today"}}`}, -1)
		s.keys("M-i")
		s.shows("not today")
		s.has("list the files")

		for reply, shown := range map[string]string{
			"no command":                              "the reply has no code block",
			"```sh\ntouch ran\r\n```\n":               "control or invisible",
			"```sh\necho \x0f\x1b[201~\x1b\r```\n":    "control or invisible",
			"```sh\necho \u202e ls\n```\n":            "control or invisible",
			"```sh\ntouch ran\x03\x04\x15\n\n\n```\n": "control or invisible",
		} {
			s.run("clear-history")
			s.keys("C-l")
			s.until("an empty screen", func() bool { return !strings.Contains(s.text(), "hobnob") })
			s.reply(reply)
			s.keys("M-i")
			s.shows(shown)
			s.has("list the files")
		}

		// Ctrl-C ends hobnob only, and Ctrl-Z suspends nothing. In bash, hobnob becomes a
		// suspended job while it explains the line.
		s.service.set("hang")
		for _, key := range []string{"M-i", "M-m"} {
			before := len(s.service.prompts())
			s.keys("C-l")
			s.until("an empty screen", func() bool { return !strings.Contains(s.text(), "stopped") })
			s.keys(key)
			s.until("the question", func() bool { return len(s.service.prompts()) > before })
			if key == "M-i" || in.name != "bash" {
				s.keys("C-z")
			}
			s.keys("C-c")
			s.shows("stopped by Ctrl-C")
			s.has("list the files")
		}
		s.service.set("none")
		s.types(" again")
		s.has("list the files again")
		if _, err := os.Stat(filepath.Join(s.home, "ran")); err == nil {
			t.Error("a part of a reply was run")
		}
	})
}

func TestWidgetExplainsTheLine(t *testing.T) {
	t.Parallel()
	inWidgetShells(t, func(t *testing.T, s shellScreen, _ widgetShell) {
		t.Helper()
		s.reply("It removes **nothing**.")
		s.types(hostileLine)
		s.has(hostileLine)
		s.keys("M-m")
		s.asked("explain this command:\n\n" + hostileLine)
		s.shows("It removes nothing.")
		s.has(hostileLine)
	})
}

func TestWidgetUsesOtherKeysAndFlags(t *testing.T) {
	t.Parallel()
	inWidgetShells(t, func(t *testing.T, s shellScreen, in widgetShell) {
		t.Helper()
		assign := map[string]string{
			"bash": "hobnob_key='\\C-x\\C-o' hobnob_explain_key= hobnob_flags=(-a guide)\neval \"$(hobnob completion bash --widget)\"",
			"zsh":  "hobnob_key='^X^O' hobnob_explain_key= hobnob_flags=(-a guide)\neval \"$(hobnob completion zsh --widget)\"",
			"fish": "set hobnob_key \\cx\\co; set hobnob_explain_key; set hobnob_flags -a guide\nhobnob completion fish --widget | source",
		}[in.name]
		s.write("keys", assign)
		s.types(". ~/keys")
		s.keys("Enter")
		s.shows("ready> . ~/keys\nready>")
		s.reply("```sh\ntrue\n```\n")
		s.types("do nothing")
		s.keys("C-x", "C-o")
		s.has("true")
		s.service.faultyService.mu.Lock()
		defer s.service.faultyService.mu.Unlock()
		if !slices.ContainsFunc(s.service.requests, func(r request) bool {
			return r.method == http.MethodPost && strings.Contains(r.body, agent.GuideID)
		}) {
			t.Errorf("no question to the guide: %+v", s.service.requests)
		}
	})
}
