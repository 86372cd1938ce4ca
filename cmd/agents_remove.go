package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func newAgentsRemoveCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Aliases: []string{"rm"},
		Short:             "Remove an alias",
		Example:           "  hobnob agents remove reviewer",
		ValidArgsFunction: complete{f}.first(complete{f}.agents),
		RunE:              func(_ *cobra.Command, args []string) error { return runAgentsRemove(f, strings.ToLower(args[0])) },
	}
}

func runAgentsRemove(f *cli.Factory, name string) error {
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	setting, _ := config.Lookup("agent")
	chosen, err := c.FromFile(profile.Name, setting)
	if err != nil {
		return err
	}
	isDefault := strings.EqualFold(config.Format(chosen.Value), name) && chosen.Source.Kind == "profile"
	if err := f.EditConfig(func(d *config.Document) error {
		if isDefault {
			if _, err := d.Unset("profiles", profile.Name, "agent"); err != nil {
				return err
			}
		}
		found, err := d.Unset("profiles", profile.Name, "agents", name)
		if _, builtIn := profile.BuiltIn[name]; err == nil && !found && builtIn {
			return failure.Usagef("to ask another agent by default: hobnob agents use NAME", "agent %q is built in and cannot be removed", name)
		}
		if err == nil && !found {
			return &config.UnknownAgentError{Name: name, Profile: profile.Name, Known: profile.AgentNames()}
		}
		return err
	}); err != nil {
		return err
	}
	if value, err := c.Get(profile.Name, setting); err == nil && value.Source.Kind != "profile" && strings.EqualFold(profile.Agent, name) {
		f.Print.Warn("%q is still the default agent %s", name, value.Source.Note())
	}
	if isDefault {
		return f.Print.Done("removed alias %q from profile %q, which now has no default agent", name, profile.Name)
	}
	return f.Print.Done("removed alias %q from profile %q", name, profile.Name)
}
