package cmd

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/template"
)

func newTemplatesEditCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "edit NAME",
		Short: "Create or edit a template in $VISUAL or $EDITOR",
		Long: `Open a copy of a template in $VISUAL or $EDITOR. If the copy is a valid
template, it replaces the file. Otherwise the copy is saved and its path is
printed. A new name creates a template. The name of a built-in template, or of one
in a directory of templates.paths, creates your own template, which replaces it.`,
		Example:           "  hobnob templates edit translate\n  hobnob templates edit review",
		ValidArgsFunction: complete{f}.first(complete{f}.templates),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTemplatesEdit(cmd.Context(), f, strings.ToLower(args[0]))
		},
	}
}

func runTemplatesEdit(ctx context.Context, f *cli.Factory, name string) error {
	library, err := f.Templates()
	if err != nil {
		return err
	}
	source, err := library.Source(name)
	if failure.Of(err).Kind == failure.NotFound {
		source.Text, err = []byte(template.Starter), nil
	}
	if err != nil {
		return err
	}
	var before []byte // content of the file
	if source.Dir == library.Dir {
		before = append([]byte{}, source.Text...)
	} else if source.Dir != "" {
		if source.Text, err = template.Convert(source); err != nil {
			return err
		}
		f.Print.Note("the template is in a shared directory; you are editing a copy, which is saved as %s", library.Path(name))
	}
	after, draft, err := editTemplate(ctx, f, name, string(source.Text))
	if err != nil {
		return err
	}
	if after == string(source.Text) || before == nil && strings.TrimSpace(after) == "" {
		cli.Discard(draft)
		return f.Print.Done("nothing was changed")
	}
	if err := library.Save(name, before, []byte(after)); err != nil {
		return failure.WithHint(err, "%s", "the template was not changed; your text is saved in "+draft)
	}
	cli.Discard(draft)
	return f.Print.Done("saved %s; to use it: hobnob chat -t %s", library.Path(name), name)
}

// editTemplate opens a text in the editor until it is a valid template, or until the
// user gives up or leaves it unchanged. The draft of an invalid template is not
// deleted.
func editTemplate(ctx context.Context, f *cli.Factory, name, initial string) (text, draft string, err error) {
	for text = initial; ; {
		before := draft
		if text, draft, err = f.Edit(ctx, text, "template-*.md"); err != nil {
			return "", "", err
		}
		if before != "" {
			cli.Discard(before)
		}
		_, bad := template.Parse(template.Source{Name: name, Path: draft, Text: []byte(text)})
		if bad == nil || text == initial || strings.TrimSpace(text) == "" {
			return text, draft, nil
		}
		again := false
		if f.IO.InTTY {
			if again, err = f.IO.Confirm(ctx, bad.Error()+"; edit it again?"); err != nil {
				bad = errors.Join(bad, err)
			}
		}
		if !again {
			return "", "", failure.WithHint(bad, "%s", "the template was not changed; your text is saved in "+draft)
		}
	}
}
