package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// mostQuestions is how often a person is asked for one value.
const mostQuestions = 3

// variableValues reads name=value; of two values of one name the last counts.
func variableValues(given []string) (map[string]string, error) {
	values := map[string]string{}
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return values, failure.Usagef("like this: --var language=English", "--var cannot be %q; want name=value", text)
		}
		values[name] = value
	}
	return values, nil
}

// template finds the one of --template, nil without it, and checks that every
// --var belongs to it.
func (o chatOptions) template() (*template.Template, error) {
	if o.Template == "" {
		return nil, nil
	}
	library, err := templates(o.f)
	if err != nil {
		return nil, err
	}
	t, err := library.Find(strings.ToLower(o.Template))
	if err != nil {
		return nil, err
	}
	values, err := variableValues(o.Vars)
	if err != nil {
		return nil, err
	}
	return t, t.Check(slices.Sorted(maps.Keys(values))...)
}

// assemble makes the text of the question, with the template if there is one.
func (o chatOptions) assemble(ctx context.Context, t *template.Template, p chat.Prompt) (string, error) {
	if t == nil {
		return p.Assemble()
	}
	var given template.Given
	for _, part := range []struct {
		text   *string
		prompt chat.Prompt
	}{{&given.Words, chat.Prompt{Words: p.Words}}, {&given.Files, chat.Prompt{Files: p.Files}}, {&given.Stdin, chat.Prompt{Stdin: p.Stdin}}} {
		var err error
		if *part.text, err = part.prompt.Assemble(); err != nil && !errors.Is(err, chat.ErrNothingToSay) {
			return "", err
		}
	}
	if t.Needs && given == (template.Given{}) && !o.Edit {
		return "", failure.Usagef("give it a prompt, files with -f or a pipe, like: git diff | hobnob chat -t "+t.Name, "the template %q has nothing to work on", t.Name)
	}
	values, err := o.values(ctx, t)
	if err != nil {
		return "", err
	}
	text, err := t.Render(given, values, api.MaxPrompt)
	if err != nil {
		return "", err
	}
	return chat.Prompt{Words: []string{text}}.Assemble()
}

// values are those of --var and, where a variable has no default, those that a
// person types.
func (o chatOptions) values(ctx context.Context, t *template.Template) (map[string]string, error) {
	values, err := variableValues(o.Vars)
	if err != nil {
		return nil, err
	}
	missing := t.Missing(values)
	for _, v := range missing {
		value, err := askValue(ctx, o.f, v)
		if errors.Is(err, terminal.ErrNoTerminal) || errors.Is(err, io.EOF) {
			return nil, noValues(t, missing)
		}
		if err != nil {
			return nil, err
		}
		values[v.Name] = value
	}
	return values, nil
}

// askValue asks until something is typed; io.EOF means that nothing was.
func askValue(ctx context.Context, f *cli.Factory, v template.Variable) (string, error) {
	question := v.Name + ":"
	if v.Description != "" {
		question = fmt.Sprintf("%s (%s):", v.Name, v.Description)
	}
	for range mostQuestions {
		if value, err := f.IO.Ask(ctx, question); err != nil || value != "" {
			return value, err
		}
	}
	return "", io.EOF
}

// noValues names every variable without a value and how to give it.
func noValues(t *template.Template, missing []template.Variable) error {
	var names, flags []string
	for _, v := range missing {
		names = append(names, v.Name)
		flags = append(flags, "--var "+v.Name+"=…")
	}
	return failure.Usagef("give it like this: "+strings.Join(flags, " "), "the template %q wants a value for: %s", t.Name, strings.Join(names, ", "))
}

// title is that of a new conversation. What templates say first is the same every
// time, so theirs tells what they were asked about.
func (o chatOptions) title(continued *history.Conversation) string {
	if o.Title != "" || o.Template == "" || continued != nil {
		return o.Title
	}
	about := strings.TrimSpace(strings.Join(slices.Concat(o.Words, o.Files), " "))
	if about == "" || about == "-" {
		return strings.ToLower(o.Template)
	}
	return strings.ToLower(o.Template) + ": " + history.TitleOf(about)
}
