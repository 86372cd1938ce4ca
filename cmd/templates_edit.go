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

type templatesEditOptions struct {
	f *cli.Factory

	Name string
}

func newTemplatesEditCommand(f *cli.Factory) *cobra.Command {
	opts := templatesEditOptions{f: f}
	return &cobra.Command{
		Use:   "edit NAME",
		Short: "Write or change a template in $VISUAL or $EDITOR",
		Long: `Open a copy of a template in $VISUAL or $EDITOR, and put it in place when it can be
used. Otherwise the copy is kept and named. A new name makes a new template, and
the name of a built-in one makes your own in its place.`,
		Example:           "  hobnob templates edit translate\n  hobnob templates edit review",
		Args:              exactArgs("NAME"),
		ValidArgsFunction: firstArgumentOnly(complete{f}.templates),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = strings.ToLower(args[0])
			return runTemplatesEdit(cmd.Context(), opts)
		},
	}
}

// newTemplate is what an editor shows of a template that there is not yet.
const newTemplate = `---
# What hobnob templates list says of it:
description:

# Values for {{.name}} in the text: from --var name=value, else the default given
# here, else asked for.
variables:
#  language: English
#  tone:
#    description: how the answer should sound

# Below the next line write the prompt. {{.Input}} stands for the arguments and
# standard input, {{.Files}} for the files of -f. What you do not mention follows
# the prompt. {{if .tone}}…{{end}} leaves a part out where there is no value.
---

`

func runTemplatesEdit(ctx context.Context, opts templatesEditOptions) error {
	f := opts.f
	library, err := templates(f)
	if err != nil {
		return err
	}
	source, err := library.Source(opts.Name)
	var missing *template.NotFoundError
	if errors.As(err, &missing) {
		source.Text, err = []byte(newTemplate), nil
	}
	if err != nil {
		return err
	}
	var before []byte // what the file holds
	if source.Path != "" {
		before = append([]byte{}, source.Text...)
	}
	after, draft, err := opts.edited(ctx, string(source.Text))
	if err != nil {
		return err
	}
	if after == string(source.Text) || before == nil && strings.TrimSpace(after) == "" {
		cli.Discard(draft)
		return f.Print.Done("nothing was changed and nothing written")
	}
	if err := library.Save(opts.Name, before, []byte(after)); err != nil {
		return failure.WithHint(err, "%s", "the template was left as it was; what you wrote is in "+draft)
	}
	cli.Discard(draft)
	return f.Print.Done("the template is in %s; use it with: hobnob chat -t %s", library.Path(opts.Name), opts.Name)
}

// edited lets the user change a text until it is a template, or until it is left
// as it was. A draft that is no template is kept.
func (o templatesEditOptions) edited(ctx context.Context, initial string) (text, draft string, err error) {
	for text = initial; ; {
		before := draft
		if text, draft, err = o.f.Edit(ctx, text, "template-*.md"); err != nil {
			return "", "", err
		}
		if before != "" {
			cli.Discard(before)
		}
		_, bad := template.Parse(template.Source{Name: o.Name, Path: draft, Text: []byte(text)})
		if bad == nil || text == initial || strings.TrimSpace(text) == "" {
			return text, draft, nil
		}
		again := false
		if o.f.IO.InTTY {
			if again, err = o.f.IO.Confirm(ctx, bad.Error()+"; edit it again?"); err != nil {
				bad = errors.Join(bad, err)
			}
		}
		if !again {
			return "", "", failure.WithHint(bad, "%s", "the template was left as it was; what you wrote is in "+draft)
		}
	}
}
