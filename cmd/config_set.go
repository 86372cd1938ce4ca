package cmd

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/markdown"
)

func newConfigSetCommand(f *cli.Factory) *cobra.Command {
	opts := configOptions{f: f}
	return &cobra.Command{
		Use:               "set KEY VALUE",
		Annotations:       map[string]string{createsConfig: ""},
		Short:             "Change a setting",
		Example:           "  hobnob config set style light\n  hobnob config set token_command '[pass, show, hobnob]'",
		Args:              exactArgs("KEY", "VALUE"),
		ValidArgsFunction: complete{f}.settingAndValue,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Key, opts.Value = args[0], args[1]
			return runConfigSet(opts)
		},
	}
}

func runConfigSet(opts configOptions) error {
	setting, err := lookupSetting(opts.Key)
	if err != nil {
		return err
	}
	value, err := setting.Parse(opts.Value)
	if err != nil {
		return err
	}
	keys, err := opts.place(setting)
	if err != nil {
		return err
	}
	if text, ok := value.(string); ok && text != "" {
		profile := ""
		if len(keys) > 1 && keys[0] == "profiles" {
			profile = keys[1]
		}
		if value, err = opts.usable(setting, text, profile); err != nil {
			return err
		}
	}
	if err := opts.f.EditConfig(func(d *config.Document) error { return d.Set(value, keys...) }); err != nil {
		return err
	}
	return opts.f.Print.Done("%s is %s", strings.Join(keys, "."), config.Format(value))
}

// usable refuses a value with which every later command would fail, and returns it
// as the file is to have it: later commands run in other directories. The profile is
// empty for the top level of the file.
func (o configOptions) usable(setting config.Setting, value, profile string) (string, error) {
	switch setting.Key {
	case "style":
		return o.usableStyle(setting, value)
	case "ca_file":
		path, err := filepath.Abs(value)
		if err != nil {
			return "", err
		}
		// The address stands for any: nothing is dialled.
		if _, err := api.New(api.Options{BaseURL: "https://localhost", CAFile: path}); err != nil {
			return "", failure.Usagef("name a PEM file of certificates that you can read", "%v", err)
		}
		return path, nil
	case config.ProfileKey, "agent", "base_url":
	default:
		return value, nil
	}
	c, err := o.f.Config()
	if err != nil {
		return "", err
	}
	switch setting.Key {
	case config.ProfileKey:
		return c.Known(value)
	case "agent":
		_, err = config.Profile{Name: profile, Agents: c.Agents(profile)}.AgentID(value)
	case "base_url":
		_, err = parseAddress(c, profile, value)
	}
	return value, err
}

func (o configOptions) usableStyle(setting config.Setting, value string) (string, error) {
	if value == setting.Default {
		return value, nil
	}
	if err := markdown.CheckStyle(value, o.f.Env("GLAMOUR_STYLE")); err != nil {
		return "", failure.Usagef(config.StyleHint(), "%v", err)
	}
	if path, err := filepath.Abs(value); err == nil && !slices.Contains(setting.Values, value) && markdown.CheckStyle(path, "") == nil {
		value = path
	}
	return value, nil
}
