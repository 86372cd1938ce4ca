package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func newAgentsAddCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "add NAME UUID",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Give an agent an alias",
		Example:           "  hobnob agents add reviewer 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			name, id := strings.ToLower(args[0]), args[1]
			if err := config.CheckName(name); err != nil {
				return failure.Usagef("choose another alias", "%v", err)
			}
			if !config.IsUUID(id) {
				return failure.Usagef("copy it from the agent's address in the client application", "%q is not a UUID", id)
			}
			return runAgentsAdd(f, name, id)
		},
	}
}

func runAgentsAdd(f *cli.Factory, name, id string) error {
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	if profile.BuiltInAgent(name) && profile.Agents[name] != id {
		return failure.Usagef("choose another alias", "%q is an agent of the built-in service", name)
	}
	if err := f.EditConfig(func(d *config.Document) error {
		return d.Set(id, "profiles", profile.Name, "agents", name)
	}); err != nil {
		return err
	}
	return f.Print.Done("agent %q is %s in profile %q", name, id, profile.Name)
}
