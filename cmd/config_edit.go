package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func newConfigEditCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:         "edit",
		Annotations: map[string]string{createsConfig: "", printsText: ""},
		Short:       "Edit the configuration file in $VISUAL or $EDITOR",
		Long: `Open a copy of the configuration file in $VISUAL or $EDITOR. If the copy is a
valid configuration, it replaces the file. Otherwise the copy is saved and its
path is printed.`,
		Example: "  hobnob config edit",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runConfigEdit(cmd.Context(), f) },
	}
}

func runConfigEdit(ctx context.Context, f *cli.Factory) error {
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	before, err := config.ReadFile(paths.ConfigFile)
	text := string(before)
	if err != nil {
		return err
	}
	if before == nil {
		text = config.Starter
	}
	after, draft, err := f.Edit(ctx, text, "config-*.yaml")
	if err != nil {
		return err
	}
	if err := config.Replace(paths.ConfigFile, before, []byte(after)); err != nil {
		return failure.WithHint(err, "%s", "the file was not changed; your text is saved in "+draft)
	}
	cli.Discard(draft)
	return nil
}
