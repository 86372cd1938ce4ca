package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
)

func newProfilesUseCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Set the default profile",
		Example:           "  hobnob profiles use work",
		ValidArgsFunction: complete{f}.first(complete{f}.profiles),
		RunE:              func(_ *cobra.Command, args []string) error { return runProfilesUse(f, args[0]) },
	}
}

func runProfilesUse(f *cli.Factory, name string) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	if name, err = c.Known(name); err != nil {
		return err
	}
	if err := f.EditConfig(func(d *config.Document) error { return d.Set(name, config.ProfileKey) }); err != nil {
		return err
	}
	if other := f.Env("HOBNOB_PROFILE"); other != "" {
		f.Print.Warn("HOBNOB_PROFILE is set to %q and takes precedence", other)
	}
	return f.Print.Done("the default profile is now %q", name)
}
