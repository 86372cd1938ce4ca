package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newConfigCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:   "config",
		Short: "Read and change settings",
		Long: `Read and change settings. A setting comes from a flag, else the environment, else
the profile, else the top level of the file, else its default.

set and unset change what belongs to a service in the selected profile, or the
one given by -p, and the rest at the top level of the file. Comments stay.`,
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
