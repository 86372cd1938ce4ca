package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

func newTemplatesCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "templates",
		Aliases: []string{"template"},
		Short:   "List, show, edit and delete templates",
		Long: `Manage templates, which are reusable prompts with variables. A template is a
Markdown file in the directory "templates" next to the configuration file. Use
it with chat -t NAME.

In the text, {{.Input}} is replaced with the arguments and standard input,
{{.Files}} with the files given by -f, and {{.name}} with the variable "name":
the value of --var name=value, its default, or the value that you enter when asked.
Input and files without a placeholder follow the text.

The built-in templates are review, explain and commit. The directories in the
setting templates.paths contain more, such as those of a team, patterns of fabric
or YAML templates of llm. Your own template with the same name replaces them;
hobnob does not change files in these directories.`,
		Example: `  git diff --staged | hobnob chat -t commit
  hobnob chat -t review -f main.go --var focus="error handling"
  hobnob templates edit translate`,
		GroupID: groupAsk,
	},
		newTemplatesListCommand(f),
		newTemplatesShowCommand(f),
		newTemplatesEditCommand(f),
		newTemplatesDeleteCommand(f),
	)
}

// templates completes names of templates, with their descriptions.
func (c complete) templates(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	c.prepare(cmd)
	library, err := c.f.Templates()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := slices.DeleteFunc(library.Names(), func(name string) bool { return !strings.HasPrefix(name, strings.ToLower(typed)) })
	var out []string
	for _, name := range names[:min(len(names), maxCandidates)] {
		if t, err := library.Find(name); err == nil {
			out = append(out, candidate(name, t.Description))
		} else {
			out = append(out, candidate(name, "broken"))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// variables completes the variables of the template in --template that have no value
// yet.
func (c complete) variables(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	c.prepare(cmd)
	library, err := c.f.Templates()
	if err != nil || strings.Contains(typed, "=") {
		return nil, directive
	}
	name, nerr := cmd.Flags().GetString("template")
	given, gerr := cmd.Flags().GetStringArray("var")
	t, err := library.Find(strings.ToLower(name))
	if errors.Join(nerr, gerr, err) != nil {
		return nil, directive
	}
	values, _ := prompt.ParseVariables(given)
	var out []string
	for _, v := range t.Variables {
		if _, ok := values[v.Name]; !ok {
			out = append(out, candidate(v.Name+"=", v.Description))
		}
	}
	return out, directive
}
