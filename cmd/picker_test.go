package cmd

import (
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestConversationFlagWithoutValue(t *testing.T) {
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
		root := newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))
		got := strings.ReplaceAll(strings.Join(pickArgs(root, strings.Split(line, " ")), " "), picked, "?")
		if got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}
