package cmd

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestOtherCommandsPointToCommands(t *testing.T) {
	root := newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))
	root.InitDefaultHelpCmd()
	for typed, meant := range otherCommands {
		words := strings.Fields(typed)
		group, rest, err := root.Find(words)
		if err != nil || len(rest) == 0 || !group.HasSubCommands() {
			t.Errorf("%q is a command of hobnob; otherCommands maps it to %q", typed, meant)
			continue
		}
		if got := meantCommand(group, rest); got != "hobnob "+meant {
			t.Errorf("%q suggests %q, want %q", typed, got, meant)
		}
		if topic, ok := strings.CutPrefix(meant, "help "); ok {
			meant = topic
		}
		found, flags, err := root.Find(strings.Fields(meant))
		if err != nil || found == root || len(flags) > 0 && (!strings.HasPrefix(flags[0], "-") || found.ParseFlags(append(flags, "x")) != nil) {
			t.Errorf("%q suggests %q, which is not a command: %v, %v", typed, meant, flags, err)
		}
	}
}

func TestOtherFlagsPointToFlags(t *testing.T) {
	flags := map[string]bool{"output": true} // of conversations export
	eachOf(newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" })), func(c *cobra.Command) {
		c.InitDefaultVersionFlag()
		c.LocalFlags().VisitAll(func(flag *pflag.Flag) { flags[flag.Name] = true })
	})
	for _, typed := range slices.Sorted(maps.Keys(otherFlags)) {
		for _, meant := range otherFlags[typed] {
			if !flags[meant] {
				t.Errorf("--%s suggests --%s, which no command has", typed, meant)
			}
		}
	}
}
