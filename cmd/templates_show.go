package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func newTemplatesShowCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print the source of a template",
		Example:           "  hobnob templates show review\n  hobnob chat -t review -f main.go --dry-run",
		ValidArgsFunction: complete{f}.first(complete{f}.templates),
		RunE:              func(_ *cobra.Command, args []string) error { return runTemplatesShow(f, strings.ToLower(args[0])) },
	}
}

func runTemplatesShow(f *cli.Factory, name string) error {
	library, err := f.Templates()
	if err != nil {
		return err
	}
	source, err := library.Source(name)
	if err != nil {
		return err
	}
	return view.Template(f.Print, library, source)
}
