package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/prompt"
)

func newTemplatesCommand(f *cli.Factory) *cobra.Command {
	return newGroup(cobra.Command{
		Use:     "templates",
		Aliases: []string{"template"},
		Short:   "Keep prompts that are used again and again",
		Long: `Keep prompts that are used again and again, with variables. A template is a
Markdown file in the directory templates beside the configuration file, and
chat -t NAME asks it.

{{.Input}} in its text stands for the arguments and standard input, {{.Files}} for
the files of -f, and {{.name}} for the variable name: the value of --var name=value,
else its default, else what you type when you are asked. What was given and is not
in the text follows it.

Three are built in: review, explain and commit. One of your own with the same name
takes the place of a built-in one.`,
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

// templates offers the names. The description in a file is hostile text.
func (c complete) templates(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	c.prepare(cmd)
	library, err := c.f.Templates()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _, _ := library.Names()
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

// variables offers those of the template that --template names that have no value yet.
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
