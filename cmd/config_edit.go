package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func newConfigEditCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:         "edit",
		Annotations: map[string]string{createsConfig: ""},
		Short:       "Open the configuration file in $VISUAL or $EDITOR",
		Long: `Open a copy of the configuration file in $VISUAL or $EDITOR, and put it in place
when it can be read as configuration. Otherwise the copy is kept and named.`,
		Example: "  hobnob config edit",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runConfigEdit(cmd.Context(), f) },
	}
}

func runConfigEdit(ctx context.Context, f *cli.Factory) error {
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	before, err := os.ReadFile(paths.ConfigFile)
	text := string(before)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = config.Starter, nil
	}
	if err != nil {
		return err
	}
	after, draft, err := f.Edit(ctx, text, "config-*.yaml")
	if err != nil {
		return err
	}
	if err := config.Replace(paths.ConfigFile, before, []byte(after)); err != nil {
		return failure.WithHint(err, "%s", "the file was left as it was; what you wrote is in "+draft)
	}
	cli.Discard(draft)
	return nil
}
