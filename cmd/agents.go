package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type agentsOptions struct {
	f *cli.Factory

	Name string
	ID   string
}

func newAgentsCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "agents",
		Aliases: []string{"agent"},
		Short:   "Name the agents of a profile",
		Long: `Name the agents of the selected profile. The service knows an agent by a UUID
(it is in the agent's address in the client application); an alias is yours.`,
		Example: `  hobnob agents add reviewer 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f
  hobnob agents use reviewer
  hobnob chat -a reviewer -f main.go "what would you change?"`,
		GroupID: groupConnect,
	},
		newAgentsListCommand(f),
		newAgentsAddCommand(f),
		newAgentsRemoveCommand(f),
		newAgentsUseCommand(f),
	)
}

func newAgentsListCommand(f *cli.Factory) *cobra.Command {
	opts := agentsOptions{f: f}
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Short:   "List the aliases",
		Example: "  hobnob agents list",
		Args:    exactArgs(),
		RunE:    func(*cobra.Command, []string) error { return runAgentsList(opts) },
	}
}

func newAgentsAddCommand(f *cli.Factory) *cobra.Command {
	opts := agentsOptions{f: f}
	return &cobra.Command{
		Use:               "add NAME UUID",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Give an agent an alias",
		Example:           "  hobnob agents add reviewer 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f",
		Args:              exactArgs("NAME", "UUID"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name, opts.ID = strings.ToLower(args[0]), args[1]
			if err := config.CheckName(opts.Name); err != nil {
				return failure.Usagef("choose another alias", "%v", err)
			}
			if !config.IsUUID(opts.ID) {
				return failure.Usagef("copy it from the agent's address in the client application", "%q is not a UUID", opts.ID)
			}
			return runAgentsAdd(opts)
		},
	}
}

func newAgentsRemoveCommand(f *cli.Factory) *cobra.Command {
	opts := agentsOptions{f: f}
	return &cobra.Command{
		Use: "remove NAME", Aliases: []string{"rm"},
		Short:             "Remove an alias",
		Example:           "  hobnob agents remove reviewer",
		Args:              exactArgs("NAME"),
		ValidArgsFunction: firstArgumentOnly(complete{f}.agents),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name = strings.ToLower(args[0])
			return runAgentsRemove(opts)
		},
	}
}

func newAgentsUseCommand(f *cli.Factory) *cobra.Command {
	opts := agentsOptions{f: f}
	return &cobra.Command{
		Use:               "use NAME",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Choose the agent that is asked when -a is not given",
		Example:           "  hobnob agents use reviewer",
		Args:              exactArgs("NAME"),
		ValidArgsFunction: firstArgumentOnly(complete{f}.agents),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name = args[0]
			return runAgentsUse(opts)
		},
	}
}

func runAgentsList(opts agentsOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	chosen, _ := profile.AgentID(profile.Agent)
	if f.Global.JSON {
		type row struct {
			Name    string `json:"name"`
			ID      string `json:"id"`
			Default bool   `json:"default"`
		}
		rows := []row{}
		for _, name := range profile.AgentNames() {
			id := profile.Agents[name]
			rows = append(rows, row{name, id, chosen != "" && strings.EqualFold(id, chosen)})
		}
		return f.Print.JSON(rows)
	}
	var cells [][]string
	for _, name := range profile.AgentNames() {
		mark := ""
		if id := profile.Agents[name]; chosen != "" && strings.EqualFold(id, chosen) {
			mark = "default"
		}
		cells = append(cells, []string{name, profile.Agents[name], mark})
	}
	if len(cells) == 0 {
		f.Print.Note("profile %q has no aliases; add one with: %s", profile.Name, failure.Run("hobnob agents add NAME UUID"))
		return nil
	}
	return cli.OutputError(f.IO.Table([]terminal.Column{{Title: "NAME"}, {Title: "UUID"}, {Title: "DEFAULT"}}, cells))
}

func runAgentsAdd(opts agentsOptions) error {
	profile, err := opts.f.Profile()
	if err != nil {
		return err
	}
	_, builtin := agent.BuiltinIDs()[opts.Name]
	if old, ok := profile.Agents[opts.Name]; ok && old != opts.ID && profile.Embedded() && builtin {
		return failure.Usagef("choose another alias", "%q is an agent of the built-in service", opts.Name)
	}
	if err := opts.f.EditConfig(func(d *config.Document) error {
		return d.Set(opts.ID, "profiles", profile.Name, "agents", opts.Name)
	}); err != nil {
		return err
	}
	return opts.f.Print.Done("agent %q is %s in profile %q", opts.Name, opts.ID, profile.Name)
}

func runAgentsRemove(opts agentsOptions) error {
	profile, err := opts.f.Profile()
	if err != nil {
		return err
	}
	unknown := &config.UnknownAgentError{Name: opts.Name, Profile: profile.Name, Known: profile.AgentNames()}
	if err := opts.f.EditConfig(func(d *config.Document) error {
		found, err := d.Unset("profiles", profile.Name, "agents", opts.Name)
		if err == nil && !found {
			return unknown
		}
		return err
	}); err != nil {
		return err
	}
	if strings.EqualFold(profile.Agent, opts.Name) {
		opts.f.Print.Warn("%q is still the default agent of profile %q; choose another with: %s", opts.Name, profile.Name, failure.Run("hobnob agents use NAME"))
	}
	return opts.f.Print.Done("removed the alias %q from profile %q", opts.Name, profile.Name)
}

func runAgentsUse(opts agentsOptions) error {
	profile, err := opts.f.Profile()
	if err != nil {
		return err
	}
	if _, err := profile.AgentID(opts.Name); err != nil {
		return err
	}
	if err := opts.f.EditConfig(func(d *config.Document) error {
		return d.Set(opts.Name, "profiles", profile.Name, "agent")
	}); err != nil {
		return err
	}
	return opts.f.Print.Done("profile %q asks %s", profile.Name, opts.Name)
}
