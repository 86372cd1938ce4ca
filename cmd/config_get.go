package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
)

func newConfigGetCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "get KEY",
		Short:             "Print the value of a setting",
		Example:           "  hobnob config get base_url",
		ValidArgsFunction: complete{f}.first(complete{f}.settings),
		RunE:              func(_ *cobra.Command, args []string) error { return runConfigGet(f, args[0]) },
	}
}

func runConfigGet(f *cli.Factory, key string) error {
	setting, err := config.Find(key)
	if err != nil {
		return err
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	value, err := c.Effective(setting)
	if err != nil {
		return err
	}
	text := config.Format(value.Value)
	if f.Global.JSON {
		return f.Print.JSON(map[string]string{"key": setting.Key, "value": text, "source": value.Source.String()})
	}
	return f.Print.Text(text + "\n")
}
