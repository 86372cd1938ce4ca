package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func newAgentsListCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Short:   "List aliases",
		Example: "  hobnob agents list",
		RunE:    func(*cobra.Command, []string) error { return runAgentsList(f) },
	}
}

// agentRow is an alias in the output of agents list.
type agentRow struct {
	Name         string  `json:"name"`
	ID           string  `json:"id"`
	Default      bool    `json:"default"`
	Instructions *string `json:"instructions"`
}

func runAgentsList(f *cli.Factory) error {
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	chosen, _ := profile.AgentID(profile.Agent)
	if profile.Agent == "" {
		chosen = profile.BuiltIn["guide"] // nothing for other services, which choose themselves
	}
	_, named := profile.Agents[strings.ToLower(profile.Agent)] // other aliases of the agent are not the default
	rows, cells := []agentRow{}, [][]string{}
	for _, name := range profile.AgentNames() {
		id, mark := profile.Agents[name], ""
		if chosen != "" && strings.EqualFold(id, chosen) && (!named || strings.EqualFold(name, profile.Agent)) {
			mark = "default"
		}
		rows = append(rows, agentRow{name, id, mark != "", cli.OrNull(profile.AgentInstructions[name])})
		cells = append(cells, []string{name, id, mark, config.Clip(profile.AgentInstructions[name])})
	}
	if f.Global.JSON {
		return f.Print.JSON(rows)
	}
	if len(rows) == 0 {
		f.Print.Note("profile %q has no aliases; to add one: %s", profile.Name, failure.Run("hobnob agents add NAME UUID"))
		return nil
	}
	return f.Print.Table([]terminal.Column{{Title: "NAME"}, {Title: "UUID"}, {Title: "DEFAULT"}, {Title: "INSTRUCTIONS", Flexible: true}}, cells)
}
