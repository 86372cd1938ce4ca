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
	if err := f.EditConfig(func(d *config.Document) error {
		found, err := d.Unset("profiles", profile.Name, "agents", name)
		if err == nil && !found {
			return &config.UnknownAgentError{Name: name, Profile: profile.Name, Known: profile.AgentNames()}
		}
		return err
	}); err != nil {
		return err
	}
	if strings.EqualFold(profile.Agent, name) {
		f.Print.Warn("%q is still the default agent of profile %q; choose another with: %s", name, profile.Name, failure.Run("hobnob agents use NAME"))
	}
	return f.Print.Done("removed the alias %q from profile %q", name, profile.Name)
}
