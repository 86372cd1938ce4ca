package cmd

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestConversationFlagWithoutValue(t *testing.T) {
	onTerminal := &terminal.Streams{OpenTTY: func() (in, out *os.File, err error) {
		in, err = os.Open(os.DevNull)
		return in, in, err
	}}
	for line, want := range map[string]string{
		"chat -C":                       "chat -C?",
		"chat --conversation":           "chat --conversation=?",
		"ask what now -C":               "ask what now -C?",
		"chat -C --raw hi":              "chat -C? --raw hi",
		"chat -C -r hi":                 "chat -C? -r hi",
		"chat -C -- hi":                 "chat -C? -- hi",
		"chat -rC --json hi":            "chat -rC? --json hi",
		"chat -xC":                      "chat -xC?",
		"-p work chat --raw -C -v":      "-p work chat --raw -C? -v",
		"-p chat chat -f -C -C":         "-p chat chat -f -C -C?",
		"chat --file --conversation -C": "chat --file --conversation -C?",

		// with a value
		"chat -C hi":                   "chat -C hi",
		"chat -C - hi":                 "chat -C - hi",
		"chat -C  hi":                  "chat -C  hi",
		"chat -C=id --raw":             "chat -C=id --raw",
		"chat -Cid --raw":              "chat -Cid --raw",
		"chat --conversation=id --raw": "chat --conversation=id --raw",
		"chat --conversation id --raw": "chat --conversation id --raw",

		// not the flag
		"chat -- -C":              "chat -- -C",
		"chat -f -C":              "chat -f -C",
		"chat -aC":                "chat -aC",
		"chat --agent -C":         "chat --agent -C",
		"chat -x=C":               "chat -x=C",
		"chat -Z -zC":             "chat -Z -zC",
		"conversations show -C":   "conversations show -C",
		"__complete chat -C ":     "__complete chat -C ",
		"__complete chat -C --ra": "__complete chat -C --ra",
	} {
		root := newRootCommand(cli.New(onTerminal, func(string) string { return "" }))
		got := strings.ReplaceAll(strings.Join(pickArgs(onTerminal, root, strings.Split(line, " ")), " "), picked, "?")
		if got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
	noTerminal := &terminal.Streams{OpenTTY: func() (in, out *os.File, err error) { return nil, nil, os.ErrNotExist }}
	args := []string{"chat", "-C"}
	if got := pickArgs(noTerminal, newRootCommand(cli.New(noTerminal, func(string) string { return "" })), args); !slices.Equal(got, args) {
		t.Errorf("without a terminal: %q", got)
	}
}
