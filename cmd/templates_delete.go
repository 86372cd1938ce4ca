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
		Short: "Delete one of your own templates",
		Long: `Delete the file of your own template, after confirmation. Built-in templates and
those in directories of templates.paths cannot be deleted. If your template
replaced one of them, it is used again.`,
		Example:           "  hobnob templates delete translate",
		ValidArgsFunction: complete{f}.first(complete{f}.templates),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = strings.ToLower(args[0])
			return runTemplatesDelete(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask for confirmation")
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
		source, err := library.Source(opts.Name)
		if err != nil && source.Dir == "" {
			return err
		}
		where := "built in"
		if source.Dir != "" {
			where = "in the shared directory " + source.Dir
		}
		return failure.Usagef("to replace it with your own: hobnob templates edit "+opts.Name, "template %q is %s and cannot be deleted", opts.Name, where)
	}
	if !opts.Yes {
		yes, err := f.Print.Confirm(ctx, "Delete "+path+"?",
			failure.Usagef("", "deleting %s needs confirmation: pass --yes", path))
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
	switch source, err := library.Source(opts.Name); {
	case err != nil:
		return f.Print.Done("deleted %s", path)
	case source.Dir == "":
		return f.Print.Done("deleted %s; the built-in template %q is used again", path, opts.Name)
	default:
		return f.Print.Done("deleted %s; the template %q in %s is used again", path, opts.Name, source.Dir)
	}
}
