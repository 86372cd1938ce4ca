package cmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
)

func newProfilesShowCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Show the settings and agents of a profile",
		Long: `Show the settings of a profile in the configuration file and its number of
conversations. The default is the selected profile. For the effective
settings, including flags and variables, use status and config list.`,
		Example:           "  hobnob profiles show work",
		ValidArgsFunction: complete{f}.first(complete{f}.profiles),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProfilesShow(cmd.Context(), f, strings.Join(args, ""))
		},
	}
}

// profileDetails is the output of profiles show.
type profileDetails struct {
	profileRow
	Agents   map[string]string `json:"agents"`   // alias → UUID
	Settings map[string]string `json:"settings"` // in the format of config set
}

func runProfilesShow(ctx context.Context, f *cli.Factory, name string) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	if name == "" {
		name, _, err = c.Active()
	}
	if err == nil {
		name, err = c.Known(name)
	}
	if err != nil {
		return err
	}
	conversations, err := countConversations(ctx, f)
	if err != nil {
		return err
	}
	p := config.Stored(c, name)
	details := profileDetails{
		profileRow: profileRow{name, cli.OrNull(p.BaseURL), cli.OrNull(p.Agent), conversations[name], name == config.Selected(c)},
		Agents:     p.Agents, Settings: map[string]string{},
	}
	mark := ""
	if details.Default {
		mark = " (default)"
	}
	pairs := [][2]string{{"profile", name + mark}}
	if name == config.Local {
		pairs = append(pairs, [2]string{"service", "built in"})
	}
	for _, setting := range config.Settings() {
		value, err := c.FromFile(name, setting)
		if value.Source.Kind != "profile" {
			continue
		}
		text := config.Format(value.Value)
		if err != nil {
			text = err.Error()
		}
		details.Settings[setting.Key] = text
		pairs = append(pairs, [2]string{setting.Key, config.Clip(text)})
	}
	for _, alias := range p.AgentNames() {
		pairs = append(pairs, [2]string{"agents." + alias, p.Agents[alias]})
	}
	if f.Global.JSON {
		return f.Print.JSON(details)
	}
	return f.Print.Pairs(append(pairs, [2]string{"conversations", strconv.Itoa(conversations[name])}))
}
