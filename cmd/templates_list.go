package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type templatesListOptions struct{ f *cli.Factory }

func newTemplatesListCommand(f *cli.Factory) *cobra.Command {
	opts := templatesListOptions{f: f}
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Short:   "List the templates and their variables",
		Example: "  hobnob templates list",
		Args:    exactArgs(),
		RunE:    func(*cobra.Command, []string) error { return runTemplatesList(opts) },
	}
}

func runTemplatesList(opts templatesListOptions) error {
	f := opts.f
	library, err := templates(f)
	if err != nil {
		return err
	}
	names, ignored, err := library.Names()
	if err != nil {
		return err
	}
	rows := []templateJSON{}
	for _, name := range names {
		source, err := library.Source(name)
		if err != nil {
			source = template.Source{Name: name, Path: library.Path(name)}
		}
		row := newTemplateJSON(source)
		if err != nil {
			row.Error = err.Error()
		}
		rows = append(rows, row)
	}
	for _, path := range ignored {
		f.Print.Note("%s is no template: its name may hold only a-z, 0-9, _ and -", path)
	}
	if f.Global.JSON {
		return f.Print.JSON(rows)
	}
	var cells [][]string
	for _, row := range rows {
		var variables []string
		for _, v := range row.Variables {
			variables = append(variables, v.Name)
		}
		if row.Error != "" {
			f.Print.Warn("the template %q cannot be used: %s", row.Name, row.Error)
			row.Description = "(broken)"
		}
		cells = append(cells, []string{row.Name, row.Description, strings.Join(variables, ", "), row.Where})
	}
	return cli.OutputError(f.IO.Table([]terminal.Column{{Title: "NAME"}, {Title: "DESCRIPTION", Flexible: true}, {Title: "VARIABLES"}, {Title: "WHERE"}}, cells))
}
