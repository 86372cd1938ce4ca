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
		Short: "Write or change a template in $VISUAL or $EDITOR",
		Long: `Open a copy of a template in $VISUAL or $EDITOR, and put it in place when it can be
used. Otherwise the copy is kept and named. A new name makes a new template, and
the name of a built-in one makes your own in its place.`,
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
	var before []byte // what the file holds
	if source.Path != "" {
		before = append([]byte{}, source.Text...)
	}
	after, draft, err := editTemplate(ctx, f, name, string(source.Text))
	if err != nil {
		return err
	}
	if after == string(source.Text) || before == nil && strings.TrimSpace(after) == "" {
		cli.Discard(draft)
		return f.Print.Done("nothing was changed and nothing written")
	}
	if err := library.Save(name, before, []byte(after)); err != nil {
		return failure.WithHint(err, "%s", "the template was left as it was; what you wrote is in "+draft)
	}
	cli.Discard(draft)
	return f.Print.Done("the template is in %s; use it with: hobnob chat -t %s", library.Path(name), name)
}

// editTemplate opens a text in the editor until it is a template, or until the user
// leaves it as it was. A draft that is no template stays.
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
			return "", "", failure.WithHint(bad, "%s", "the template was left as it was; what you wrote is in "+draft)
		}
	}
}
