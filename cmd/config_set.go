package cmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

func newConfigSetCommand(f *cli.Factory) *cobra.Command {
	insecure := false
	cmd := &cobra.Command{
		Use:               "set KEY VALUE",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Change a setting",
		Example:           "  hobnob config set style light\n  hobnob config set token_command '[pass, show, hobnob]'",
		ValidArgsFunction: complete{f}.settingThenValue,
		RunE:              func(_ *cobra.Command, args []string) error { return runConfigSet(f, args[0], args[1], insecure) },
	}
	cmd.Flags().BoolVar(&insecure, "allow-insecure-http", false, "with base_url: also allow http:// to this host; the token is sent unencrypted")
	return cmd
}

func runConfigSet(f *cli.Factory, key, text string, insecure bool) error {
	setting, err := config.Find(key)
	if err != nil {
		return err
	}
	if insecure && setting.Key != "base_url" {
		return failure.Usagef("omit --allow-insecure-http", "--allow-insecure-http is only valid with base_url")
	}
	if setting.Key == "instructions" && text != "" {
		if text, err = prompt.Instructions(f.Print, text); err != nil {
			return err
		}
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
			_, err := api.New(api.Options{BaseURL: "https://localhost", CAFile: path}) // reads the file, does not connect
			return err
		},
	})
	if err != nil {
		return err
	}
	var moved []string
	if setting.Key == "base_url" && place[0] == "profiles" {
		moved = c.Moved(place[1], text)
	}
	if err := f.EditConfig(func(d *config.Document) error {
		if insecure {
			if err := d.Set(true, "profiles", place[1], "allow_insecure_http"); err != nil {
				return err
			}
		}
		return d.Set(value, place...)
	}); err != nil {
		return err
	}
	for _, key := range moved {
		f.Print.Warn("%s of profile %q now applies to the new address", key, place[1])
	}
	if by := config.Overridden(c, setting); by != "" {
		f.Print.Warn("%s sets %s as well and takes precedence", by, setting.Key)
	}
	return f.Print.Done("set %s to %s", strings.Join(place, "."), cmp.Or(config.Clip(config.Format(value)), `""`))
}
