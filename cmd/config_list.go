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
		Short:   "List every setting and its value",
		Example: "  hobnob config list --show-source",
		RunE:    func(*cobra.Command, []string) error { return runConfigList(f, showSource) },
	}
	cmd.Flags().BoolVar(&showSource, "show-source", false, "say where each value comes from")
	return cmd
}

// settingRow is a setting in the output of config list.
type settingRow struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// runConfigList lists a value that cannot be used, too, and then returns its error.
func runConfigList(f *cli.Factory, showSource bool) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	if _, _, err := c.Active(); err != nil {
		return err
	}
	var rows []settingRow
	var unusable error
	for _, setting := range config.Settings() {
		value, err := c.Effective(setting)
		var bad *config.ValueError
		switch {
		case errors.As(err, &bad):
			unusable = err
			rows = append(rows, settingRow{setting.Key, bad.Value, bad.Source.String() + "; not usable: " + bad.Err.Error()})
		case err != nil:
			return err
		default:
			rows = append(rows, settingRow{setting.Key, config.Format(value.Value), value.Source.String()})
		}
	}
	if f.Global.JSON {
		return errors.Join(f.Print.JSON(rows), unusable)
	}
	for _, r := range rows {
		line := r.Key + "=" + terminal.CleanLine(r.Value)
		if showSource {
			line = fmt.Sprintf("%-40s  %s", line, r.Source)
		}
		if err := f.Print.Printf("%s\n", line); err != nil {
			return err
		}
	}
	return unusable
}
