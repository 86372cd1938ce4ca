package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
)

func newAgentsUseCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Set the default agent of the profile",
		Example:           "  hobnob agents use reviewer",
		ValidArgsFunction: complete{f}.first(complete{f}.agents),
		RunE:              func(_ *cobra.Command, args []string) error { return runAgentsUse(f, args[0]) },
	}
}

func runAgentsUse(f *cli.Factory, name string) error {
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	if _, err := profile.AgentID(name); err != nil {
		return err
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	if err := f.EditConfig(func(d *config.Document) error {
		return d.Set(name, "profiles", profile.Name, "agent")
	}); err != nil {
		return err
	}
	setting, _ := config.Lookup("agent")
	if by := config.Overridden(c, setting); by != "" {
		f.Print.Warn("%s sets the agent as well and takes precedence", by)
	}
	return f.Print.Done("default agent of profile %q is now %s", profile.Name, name)
}
