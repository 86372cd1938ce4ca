package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newConfigCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:   "config",
		Short: "Read and change settings",
		Long: `Read and change settings. The value of a setting comes from the first of these
that has one: a flag, the environment, the profile, the top level of the file,
and the default.

set and unset change the settings of a service in the selected profile and all
other settings at the top level of the file. With -p, they change all settings
in that profile. Comments in the file are preserved.`,
		Example: `  hobnob config list --show-source
  hobnob config set timeout 2m
  hobnob config set -p work ca_file ~/work-ca.pem`,
		GroupID: groupConnect,
	},
		newConfigListCommand(f),
		newConfigGetCommand(f),
		newConfigSetCommand(f),
		newConfigUnsetCommand(f),
		newConfigEditCommand(f),
		newConfigPathCommand(f),
	)
}
