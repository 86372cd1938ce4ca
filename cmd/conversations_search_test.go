package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestSearchQueryWithExcludedWords(t *testing.T) {
	for line, want := range map[string]string{
		"conversations search hello -usage":                 "conversations search -- hello -usage",
		"conv search -async":                                "conv search -- -async",
		"-p work conversation search a -b --since 30d c -q": "-p work conversation search --since 30d -q -- a -b c",
		"conversations search -a reviewer x --limit=3 -y":   "conversations search -a reviewer --limit=3 -- x -y",
		"conversations search -- -x --since":                "conversations search -- -x --since",
		"conversations search --help":                       "conversations search --help",
		"conversations search --no-such-flag x":             "conversations search --no-such-flag -- x",
		"conversations list -verbose":                       "conversations list -verbose",
		"chat search -usage":                                "chat search -usage",
		"search -usage":                                     "search -usage",
		"conversations search word --agent":                 "conversations search --agent -- word",
		"conversations search -a":                           "conversations search -- -a",
		"-p search conv search foo -q":                      "-p search conv search -q -- foo",
		"__complete conversations search --role ":           "__complete conversations search --role ",
	} {
		if got := searchArgs(newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" })), strings.Split(line, " ")); !slices.Equal(got, strings.Split(want, " ")) {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}
