package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/template"
)

type templatesDeleteOptions struct {
	f *cli.Factory

	Name string
	Yes  bool
}

func newTemplatesDeleteCommand(f *cli.Factory) *cobra.Command {
	opts := templatesDeleteOptions{f: f}
	cmd := &cobra.Command{
		Use: "delete NAME", Aliases: []string{"rm"},
		Short: "Delete a template of your own",
		Long: `Delete the file of a template, after asking. A built-in template cannot be deleted;
when yours took its place, it is back.`,
		Example:           "  hobnob templates delete translate",
		ValidArgsFunction: complete{f}.first(complete{f}.templates),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = strings.ToLower(args[0])
			return runTemplatesDelete(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.Yes, "yes", false, "do not ask")
	return cmd
}

func runTemplatesDelete(ctx context.Context, opts templatesDeleteOptions) error {
	f := opts.f
	library, err := f.Templates()
	if err != nil {
		return err
	}
	if err := library.CheckName(opts.Name); err != nil {
		return err
	}
	path := library.Path(opts.Name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if template.IsBuiltin(opts.Name) {
			return failure.Usagef("make one of your own in its place with: hobnob templates edit "+opts.Name, "the template %q is built in and cannot be deleted", opts.Name)
		}
		_, err := library.Source(opts.Name)
		return err
	}
	if !opts.Yes {
		yes, err := f.Print.Confirm(ctx, "Delete "+path+"?",
			failure.Usagef("look at it with hobnob templates show, then add --yes", "there is nobody to ask whether %s may be deleted", path))
		if err != nil {
			return err
		}
		if !yes {
			return f.Print.Done("nothing was deleted")
		}
	}
	if err := library.Delete(opts.Name); err != nil {
		return err
	}
	if template.IsBuiltin(opts.Name) {
		return f.Print.Done("deleted %s; the built-in template %q is used again", path, opts.Name)
	}
	return f.Print.Done("deleted %s", path)
}
