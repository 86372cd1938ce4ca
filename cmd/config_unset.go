package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
)

func newConfigUnsetCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "unset KEY",
		Short:             "Remove a setting from the file",
		Example:           "  hobnob config unset timeout",
		ValidArgsFunction: complete{f}.first(complete{f}.settings),
		RunE:              func(_ *cobra.Command, args []string) error { return runConfigUnset(f, args[0]) },
	}
}

func runConfigUnset(f *cli.Factory, key string) error {
	setting, err := config.Find(key)
	if err != nil {
		return err
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	place, err := c.Place(setting)
	if err != nil {
		return err
	}
	found := false
	if err := f.EditConfig(func(d *config.Document) (err error) {
		found, err = d.Unset(place...)
		return err
	}); err != nil {
		return err
	}
	if !found {
		return f.Print.Done("%s was not set", strings.Join(place, "."))
	}
	return f.Print.Done("removed %s", strings.Join(place, "."))
}
