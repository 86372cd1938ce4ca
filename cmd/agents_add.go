package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func newAgentsAddCommand(f *cli.Factory) *cobra.Command {
	var loadInstructions func() (*string, error)
	cmd := &cobra.Command{
		Use:         "add NAME UUID",
		Annotations: map[string]string{createsConfig: ""},
		Short:       "Add an alias for an agent",
		Long: `Add an alias for an agent, or change it.

--instructions gives the alias standing instructions, which are sent before each
question of its new conversations. Several aliases of one agent can have different
instructions. Without the flag, those of an existing alias do not change;
--no-instructions removes them.`,
		Example: `  hobnob agents add reviewer 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f
  hobnob agents add strict 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f --instructions review.md`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			name, id := strings.ToLower(args[0]), args[1]
			if err := config.CheckName(name); err != nil {
				return failure.Usagef("choose another alias", "%v", err)
			}
			if !config.IsUUID(id) {
				return failure.Usagef("copy it from the agent's address in the client application", "%q is not a UUID", id)
			}
			instructions, err := loadInstructions()
			if err != nil {
				return err
			}
			return runAgentsAdd(f, name, id, instructions)
		},
	}
	loadInstructions = addInstructionFlags(cmd, f, "standing instructions of the alias")
	return cmd
}

func runAgentsAdd(f *cli.Factory, name, id string, instructions *string) error {
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	if _, err := profile.AgentID(id); err != nil {
		return err
	}
	if own := profile.BuiltIn[name]; own != "" && own != id {
		return failure.Usagef("choose another alias", "%q is a built-in agent", name)
	}
	if err := f.EditConfig(func(d *config.Document) error {
		return d.SetAgent(profile.Name, name, id, instructions)
	}); err != nil {
		return err
	}
	return f.Print.Done("alias %q now refers to %s in profile %q", name, id, profile.Name)
}
