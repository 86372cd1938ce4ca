package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type templatesShowOptions struct {
	f *Factory

	Name string
}

func newTemplatesShowCommand(f *Factory) *cobra.Command {
	opts := templatesShowOptions{f: f}
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print a template as it is written",
		Example:           "  hobnob templates show review\n  hobnob chat -t review -f main.go --dry-run",
		Args:              exactArgs("NAME"),
		ValidArgsFunction: f.completeFirst(f.completeTemplates),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name = strings.ToLower(args[0])
			return runTemplatesShow(opts)
		},
	}
}

func runTemplatesShow(opts templatesShowOptions) error {
	f := opts.f
	library, err := f.templates()
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
		return f.printJSON(described)
	}
	if described.Error != "" {
		f.warn("the template %q cannot be used: %s", opts.Name, described.Error)
	}
	if f.IO.OutTTY {
		return f.page(strings.TrimRight(terminal.Clean(text), "\n") + "\n")
	}
	return f.printText(text)
}
