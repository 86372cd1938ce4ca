package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func newConfigPathCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:         "path",
		Annotations: map[string]string{createsConfig: "", exitCodes: ""},
		Short:       "Print the path of the configuration file",
		Example:     "  hobnob config path",
		RunE:        func(*cobra.Command, []string) error { return runConfigPath(f) },
	}
}

func runConfigPath(f *cli.Factory) error {
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]string{"path": paths.ConfigFile})
	}
	return f.Print.Text(paths.ConfigFile + "\n")
}
