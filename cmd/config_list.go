package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func newConfigListCommand(f *cli.Factory) *cobra.Command {
	var showSource bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Short:   "List all settings and their values",
		Example: "  hobnob config list --show-source",
		RunE:    func(*cobra.Command, []string) error { return runConfigList(f, showSource) },
	}
	cmd.Flags().BoolVar(&showSource, "show-source", false, "show the source of each value")
	return cmd
}

// settingRow is a setting in the output of config list.
type settingRow struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// runConfigList also lists invalid values, and returns the last of their errors.
func runConfigList(f *cli.Factory, showSource bool) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	if _, _, err := c.Active(); err != nil {
		return err
	}
	var rows []settingRow
	var invalid error
	for _, setting := range config.Settings() {
		value, err := c.Effective(setting)
		var bad *config.ValueError
		switch {
		case errors.As(err, &bad):
			invalid = err
			rows = append(rows, settingRow{setting.Key, bad.Value, bad.Source.String() + "; invalid: " + bad.Err.Error()})
		case err != nil:
			return err
		default:
			rows = append(rows, settingRow{setting.Key, config.Format(value.Value), value.Source.String()})
		}
	}
	if f.Global.JSON {
		return errors.Join(f.Print.JSON(rows), invalid)
	}
	for _, r := range rows {
		line := r.Key + "=" + terminal.CleanLine(config.Clip(r.Value))
		if showSource {
			line = fmt.Sprintf("%-40s  %s", line, r.Source)
		}
		if err := f.Print.Printf("%s\n", line); err != nil {
			return err
		}
	}
	return invalid
}
