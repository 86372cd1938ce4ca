package cmd

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func newProfilesListCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Annotations: map[string]string{exitCodes: ""},
		Short:       "List profiles",
		Example:     "  hobnob profiles list\n  hobnob profiles list --json | jq -r '.[].name'",
		RunE:        func(cmd *cobra.Command, _ []string) error { return runProfilesList(cmd.Context(), f) },
	}
}

// profileRow is a profile in the output of profiles list.
type profileRow struct {
	Name          string  `json:"name"`
	BaseURL       *string `json:"base_url"` // null for the built-in service
	Agent         *string `json:"agent"`    // null if the service chooses
	Conversations int     `json:"conversations"`
	Default       bool    `json:"default"`
}

func runProfilesList(ctx context.Context, f *cli.Factory) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	conversations, err := countConversations(ctx, f)
	if err != nil {
		return err
	}
	selected := config.Selected(c)
	var rows []profileRow
	var cells [][]string
	for _, name := range c.Profiles() {
		p := config.Stored(c, name)
		mark, service := "", p.BaseURL
		switch {
		case name == config.Local:
			service = "built in"
		case service == "":
			service = "no address"
		}
		if name == selected {
			mark = "default"
		}
		rows = append(rows, profileRow{name, cli.OrNull(p.BaseURL), cli.OrNull(p.Agent), conversations[name], mark != ""})
		cells = append(cells, []string{name, service, p.Agent, strconv.Itoa(conversations[name]), mark})
	}
	if f.Global.JSON {
		return f.Print.JSON(rows)
	}
	return f.Print.Table([]terminal.Column{{Title: "NAME"}, {Title: "SERVICE"}, {Title: "AGENT"}, {Title: "CONVERSATIONS"}, {Title: "DEFAULT"}}, cells)
}
