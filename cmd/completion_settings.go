package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/config"
)

func completeSettings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, s := range config.Settings() {
		out = append(out, candidate(s.Key, s.Help))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeSettingAndValue completes the arguments of config set. A setting that
// takes a file leaves the word to the shell.
func (c complete) settingAndValue(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeSettings(cmd, args, word)
	}
	setting, ok := config.Lookup(args[0])
	if !ok || len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch setting.Key {
	case config.ProfileKey:
		return c.profiles(cmd, args, word)
	case "agent":
		return c.agents(cmd, args, word)
	}
	values := setting.Values
	if _, yes := setting.Default.(bool); yes {
		values = []string{"true", "false"}
	}
	if setting.File {
		return values, cobra.ShellCompDirectiveDefault
	}
	return values, cobra.ShellCompDirectiveNoFileComp
}
