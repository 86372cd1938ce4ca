package cmd

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// sharedFiles are the files of this package that are not named after a command: Main,
// the root command, suggestions, completion, help topics and the reference.
var sharedFiles = []string{"cmd", "root", "mistyped", "completion", "topics", "reference"}

func TestEveryFileIsACommand(t *testing.T) {
	names := slices.Clone(sharedFiles)
	root := newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))
	root.InitDefaultHelpCmd()
	eachOf(root, func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "hobnob ")
		names = append(names, strings.ReplaceAll(path, " ", "_"))
	})
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(file, ".go"); !strings.HasSuffix(name, "_test") && !slices.Contains(names, name) {
			t.Errorf("%s: no command has this name; shared code belongs in internal", file)
		}
	}
}
