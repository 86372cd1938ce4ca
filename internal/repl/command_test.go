package repl

import (
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestFindCommand(t *testing.T) {
	for _, c := range commands() {
		found, err := find(strings.ToUpper(c.name))
		if err != nil || found.name != c.name || c.help == "" || c.run == nil {
			t.Errorf("/%s: %v", c.name, err)
		}
	}
	for typed, want := range map[string]string{"he": "help", "?": "help", "q": "exit", "quit": "exit", "Qu": "exit", "n": "new", "ed": "edit", "ex": "", "": "", "zzzz": ""} {
		if found, err := find(typed); found.name != want && err == nil || want != "" && err != nil {
			t.Errorf("/%s: found %q, %v, want %q", typed, found.name, err, want)
		}
	}
	for typed, want := range map[string][2]string{
		"hlep": {"unknown command", "did you mean /help?"},
		"qiut": {"unknown command", "did you mean /quit?"},
		"a":    {"ambiguous", "did you mean /agent, /again or /at?"},
		"ex":   {"ambiguous", "did you mean /export or /exit?"},
		"zzzz": {"unknown command", "/help lists the commands"},
		"srv":  {"unknown command", "/help lists the commands"},
		"tmp":  {"unknown command", "/help lists the commands"},
		"":     {"unknown command", "/help lists the commands"},
	} {
		_, err := find(typed)
		if err == nil || !strings.Contains(err.Error(), want[0]) || !strings.HasPrefix(failure.Of(err).Hint.String(), want[1]) {
			t.Errorf("/%s: %v, hint %q, want %q", typed, err, failure.Of(err).Hint, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"/help":            "help ",
		"/open two words ": "open two words",
		"/edit a\nb":       "edit a\nb",
		"/ed a\nb":         "ed a\nb",
		"exit":             "exit ",
		"Quit ":            "exit ",
	} {
		if name, argument, ok := parse(text); !ok || name+" "+argument != want {
			t.Errorf("%q: command %q, argument %q, %t, want %q", text, name, argument, ok, want)
		}
	}
	for _, text := range []string{"//help", "help", "/usr/bin\nis a path", "/e a\nb", " /help", " exit", "exit now", "exit\nnow", "quite"} {
		if name, _, ok := parse(text); ok {
			t.Errorf("%q: parsed as the command %q", text, name)
		}
	}
}

func TestLineOfQuestion(t *testing.T) {
	for _, question := range []string{"", "a", "/help", "//x", "exit", " exit", "  quit", "QUIT ", " a", "exit now", "exit\nnow"} {
		line := asLine(question)
		if name, _, ok := parse(line); ok || asQuestion(line) != question {
			t.Errorf("%q becomes the line %q, which asks %q (command %q)", question, line, asQuestion(line), name)
		}
	}
}
