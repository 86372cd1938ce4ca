package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type templatesShowOptions struct {
	f *cli.Factory

	Name string
}

func newTemplatesShowCommand(f *cli.Factory) *cobra.Command {
	opts := templatesShowOptions{f: f}
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print a template as it is written",
		Example:           "  hobnob templates show review\n  hobnob chat -t review -f main.go --dry-run",
		Args:              exactArgs("NAME"),
		ValidArgsFunction: firstArgumentOnly(complete{f}.templates),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name = strings.ToLower(args[0])
			return runTemplatesShow(opts)
		},
	}
}

func runTemplatesShow(opts templatesShowOptions) error {
	f := opts.f
	library, err := templates(f)
	if err != nil {
		return err
	}
	source, err := library.Source(opts.Name)
	if err != nil {
		return err
	}
	text := string(source.Text)
	described := newTemplateJSON(source)
	if f.Global.JSON {
		described.Source = &text
		return f.Print.JSON(described)
	}
	if described.Error != "" {
		f.Print.Warn("the template %q cannot be used: %s", opts.Name, described.Error)
	}
	if f.IO.OutTTY {
		return f.Print.Page(strings.TrimRight(terminal.Clean(text), "\n") + "\n")
	}
	return f.Print.Text(text)
}
