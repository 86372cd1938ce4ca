package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/suggest"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type configOptions struct {
	f *cli.Factory

	Key        string
	Value      string
	ShowSource bool
}

func newConfigCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:   "config",
		Short: "Read and change settings",
		Long: `Read and change settings. A setting comes from a flag, else the environment, else
the profile, else the top level of the file, else its default.

set and unset change what belongs to a service in the selected profile, or the
one given by -p, and the rest at the top level of the file. Comments stay.`,
		Example: `  hobnob config list --show-source
  hobnob config set timeout 2m
  hobnob config set -p work ca_file ~/work-ca.pem`,
		GroupID: groupConnect,
	},
		newConfigListCommand(f),
		newConfigGetCommand(f),
		newConfigSetCommand(f),
		newConfigUnsetCommand(f),
		newConfigEditCommand(f),
		newConfigPathCommand(f),
	)
}

func newConfigListCommand(f *cli.Factory) *cobra.Command {
	opts := configOptions{f: f}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Short:   "List every setting and its value",
		Example: "  hobnob config list --show-source",
		Args:    exactArgs(),
		RunE:    func(*cobra.Command, []string) error { return runConfigList(opts) },
	}
	cmd.Flags().BoolVar(&opts.ShowSource, "show-source", false, "say where each value comes from")
	return cmd
}

func newConfigGetCommand(f *cli.Factory) *cobra.Command {
	opts := configOptions{f: f}
	return &cobra.Command{
		Use:               "get KEY",
		Short:             "Print the value of a setting",
		Example:           "  hobnob config get base_url",
		Args:              exactArgs("KEY"),
		ValidArgsFunction: firstArgumentOnly(completeSettings),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Key = args[0]
			return runConfigGet(opts)
		},
	}
}

func newConfigUnsetCommand(f *cli.Factory) *cobra.Command {
	opts := configOptions{f: f}
	return &cobra.Command{
		Use:               "unset KEY",
		Short:             "Remove a setting from the file",
		Example:           "  hobnob config unset timeout",
		Args:              exactArgs("KEY"),
		ValidArgsFunction: firstArgumentOnly(completeSettings),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Key = args[0]
			return runConfigUnset(opts)
		},
	}
}

func newConfigEditCommand(f *cli.Factory) *cobra.Command {
	opts := configOptions{f: f}
	return &cobra.Command{
		Use:         "edit",
		Annotations: map[string]string{createsConfig: ""},
		Short:       "Open the configuration file in $VISUAL or $EDITOR",
		Long: `Open a copy of the configuration file in $VISUAL or $EDITOR, and put it in place
when it can be read as configuration. Otherwise the copy is kept and named.`,
		Example: "  hobnob config edit",
		Args:    exactArgs(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runConfigEdit(cmd.Context(), opts) },
	}
}

func newConfigPathCommand(f *cli.Factory) *cobra.Command {
	opts := configOptions{f: f}
	return &cobra.Command{
		Use:         "path",
		Annotations: map[string]string{createsConfig: ""},
		Short:       "Print where the configuration file is",
		Example:     "  hobnob config path",
		Args:        exactArgs(),
		RunE:        func(*cobra.Command, []string) error { return runConfigPath(opts) },
	}
}

// lookupSetting is config.Lookup with an error that names the nearest key.
func lookupSetting(key string) (config.Setting, error) {
	setting, ok := config.Lookup(key)
	if ok {
		return setting, nil
	}
	var keys []string
	for _, s := range config.Settings() {
		keys = append(keys, s.Key)
	}
	hint := "see: hobnob config list"
	if near := suggest.Nearest(key, keys); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return config.Setting{}, failure.Usagef(hint, "there is no setting %q", key)
}

func runConfigList(opts configOptions) error {
	f := opts.f
	c, err := f.Config()
	if err != nil {
		return err
	}
	profile, source, err := c.Active()
	if err != nil {
		return err
	}
	type row struct {
		Key    string `json:"key"`
		Value  string `json:"value"`
		Source string `json:"source"`
	}
	var rows []row
	var failure error
	for _, setting := range config.Settings() {
		value, err := c.Get(profile, setting)
		var bad *config.ValueError
		if errors.As(err, &bad) {
			failure = err
			rows = append(rows, row{setting.Key, bad.Value, bad.Source.String() + "; not usable: " + bad.Err.Error()})
			continue
		}
		if err != nil {
			return err
		}
		if setting.Key == config.ProfileKey {
			value = config.Value{Value: profile, Source: source}
		}
		rows = append(rows, row{setting.Key, config.Format(value.Value), value.Source.String()})
	}
	if f.Global.JSON {
		return errors.Join(f.Print.JSON(rows), failure)
	}
	for _, r := range rows {
		line := r.Key + "=" + terminal.CleanLine(r.Value)
		if opts.ShowSource {
			line = fmt.Sprintf("%-40s  %s", line, r.Source)
		}
		if err := f.Print.Printf("%s\n", line); err != nil {
			return err
		}
	}
	return failure
}

func runConfigGet(opts configOptions) error {
	f := opts.f
	setting, err := lookupSetting(opts.Key)
	if err != nil {
		return err
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	profile, source, err := c.Active()
	if err != nil {
		return err
	}
	value, err := c.Get(profile, setting)
	if err != nil {
		return err
	}
	if setting.Key == config.ProfileKey {
		value = config.Value{Value: profile, Source: source}
	}
	if f.Global.JSON {
		return f.Print.JSON(map[string]string{"key": setting.Key, "value": config.Format(value.Value), "source": value.Source.String()})
	}
	return f.Print.Text(config.Format(value.Value) + "\n")
}

// place is where a setting is kept in the file.
func (o configOptions) place(setting config.Setting) ([]string, error) {
	keys := strings.Split(setting.Key, ".")
	if setting.Key == config.ProfileKey {
		return keys, nil
	}
	_, chosen := o.f.Settings[config.ProfileKey]
	if !setting.Connection && !chosen {
		return keys, nil
	}
	c, err := o.f.Config()
	if err != nil {
		return nil, err
	}
	profile, source, err := c.Active()
	var unknown *config.UnknownProfileError
	switch {
	case errors.As(err, &unknown) && chosen:
		if profile = unknown.Name; config.CheckName(profile) != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case setting.Key == "base_url" && profile == config.Local:
		if chosen {
			return nil, failure.Usagef("choose another profile with -p NAME", "the profile %q is the built-in service and has no address", config.Local)
		}
		profile = config.Default
	case profile == config.Local && source.Kind == "default" && setting.Key != "agent":
		return keys, nil // no service yet: for whichever comes
	}
	return append([]string{"profiles", profile}, keys...), nil
}

func runConfigUnset(opts configOptions) error {
	setting, err := lookupSetting(opts.Key)
	if err != nil {
		return err
	}
	keys, err := opts.place(setting)
	if err != nil {
		return err
	}
	found := false
	if err := opts.f.EditConfig(func(d *config.Document) (err error) {
		found, err = d.Unset(keys...)
		return err
	}); err != nil {
		return err
	}
	if !found {
		return opts.f.Print.Done("%s was not set", strings.Join(keys, "."))
	}
	return opts.f.Print.Done("%s is no longer set", strings.Join(keys, "."))
}

func runConfigPath(opts configOptions) error {
	paths, err := opts.f.Paths()
	if err != nil {
		return err
	}
	if opts.f.Global.JSON {
		return opts.f.Print.JSON(map[string]string{"path": paths.ConfigFile})
	}
	return opts.f.Print.Text(paths.ConfigFile + "\n")
}

// newConfigFile is what an editor shows when there is no file yet.
const newConfigFile = `# Settings of hobnob; see: hobnob config list --show-source
#
# profile: work
# profiles:
#   work:
#     base_url: https://chat.example.com
#     agent: reviewer
#     agents: {reviewer: 00000000-0000-4000-8000-000000000000}
`

func runConfigEdit(ctx context.Context, opts configOptions) error {
	paths, err := opts.f.Paths()
	if err != nil {
		return err
	}
	original, err := os.ReadFile(paths.ConfigFile)
	before := original
	if errors.Is(err, os.ErrNotExist) {
		before, err = []byte(newConfigFile), nil
	}
	if err != nil {
		return err
	}
	after, draft, err := opts.f.Edit(ctx, string(before), "config-*.yaml")
	if err != nil {
		return err
	}
	if err := config.Replace(paths.ConfigFile, original, []byte(after)); err != nil {
		return failure.WithHint(err, "%s", "the file was left as it was; what you wrote is in "+draft)
	}
	cli.Discard(draft)
	return nil
}
