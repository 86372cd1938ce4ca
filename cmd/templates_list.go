package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func newTemplatesListCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Annotations: map[string]string{exitCodes: ""},
		Short:       "List templates and their variables",
		Example:     "  hobnob templates list",
		RunE:        func(*cobra.Command, []string) error { return runTemplatesList(f) },
	}
}

func runTemplatesList(f *cli.Factory) error {
	library, err := f.Templates()
	if err != nil {
		return err
	}
	names, ignored, err := library.Names()
	if err != nil {
		return err
	}
	for _, path := range ignored {
		f.Print.Note("ignored %s: invalid template name; use only a-z, 0-9, _ and -", path)
	}
	described := make([]view.TemplateInfo, len(names))
	for i, name := range names {
		source, err := library.Source(name)
		if err != nil {
			source = template.Source{Name: name, Path: library.Path(name)}
		}
		described[i] = view.Describe(source, err)
	}
	return view.Templates(f.Print, described)
}
