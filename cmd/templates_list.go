package cmd

import (
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func newTemplatesListCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Annotations: map[string]string{exitCodes: ""},
		Short:       "List templates and their variables",
		Long: `List all templates by directory: your own, those of the directories in the
setting templates.paths, and the built-in ones. If a name occurs more than once,
the first template is used, and the others are marked.`,
		Example: "  hobnob templates list\n  hobnob config set templates.paths ~/prompts",
		RunE:    func(*cobra.Command, []string) error { return runTemplatesList(f) },
	}
}

func runTemplatesList(f *cli.Factory) error {
	library, err := f.Templates()
	if err != nil {
		return err
	}
	return view.Templates(f.Print, library)
}
