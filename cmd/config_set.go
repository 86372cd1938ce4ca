package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/markdown"
)

func newConfigSetCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "set KEY VALUE",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Change a setting",
		Example:           "  hobnob config set style light\n  hobnob config set token_command '[pass, show, hobnob]'",
		ValidArgsFunction: complete{f}.settingThenValue,
		RunE:              func(_ *cobra.Command, args []string) error { return runConfigSet(f, args[0], args[1]) },
	}
}

func runConfigSet(f *cli.Factory, key, text string) error {
	setting, err := config.Find(key)
	if err != nil {
		return err
	}
	value, err := setting.Parse(text)
	if err != nil {
		return err
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	place, err := c.Place(setting)
	if err != nil {
		return err
	}
	value, err = c.Usable(setting, value, place, config.Checks{
		Style: func(style string) error { return markdown.CheckStyle(style, f.Env("GLAMOUR_STYLE")) },
		CAFile: func(path string) error {
			_, err := api.New(api.Options{BaseURL: "https://localhost", CAFile: path}) // nothing is dialled
			return err
		},
	})
	if err != nil {
		return err
	}
	if err := f.EditConfig(func(d *config.Document) error { return d.Set(value, place...) }); err != nil {
		return err
	}
	return f.Print.Done("%s is %s", strings.Join(place, "."), config.Format(value))
}
