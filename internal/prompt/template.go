package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// maxQuestions is how often a user is asked for one value.
const maxQuestions = 3

// ParseVariables reads name=value; of two values of one name the last counts.
func ParseVariables(given []string) (map[string]string, error) {
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

// render makes the text of the question from a template. Values that are missing
// are asked for on the terminal and added to values. Edited says that there need
// be nothing to work on, because the text is edited before it is asked.
func (p Parts) render(ctx context.Context, t *template.Template, values map[string]string, edited bool, streams *terminal.Streams) (string, error) {
	var texts [3]string
	for i, part := range []Parts{{Words: p.Words}, {Files: p.Files}, {Stdin: p.Stdin}} {
		var err error
		if texts[i], err = part.Assemble(); err != nil && !errors.Is(err, ErrNothingToSay) {
			return "", err
		}
	}
	given := template.Given{Words: texts[0], Files: texts[1], Stdin: texts[2]}
	if t.Needs && given == (template.Given{}) && !edited {
		return "", failure.Usagef("give it a prompt, files with -f or a pipe, like: git diff | hobnob chat -t "+t.Name, "the template %q has nothing to work on", t.Name)
	}
	missing := t.Missing(values)
	for _, v := range missing {
		value, err := askValue(ctx, streams, v)
		if errors.Is(err, terminal.ErrNoTerminal) || errors.Is(err, io.EOF) {
			return "", noValues(t, missing)
		}
		if err != nil {
			return "", err
		}
		values[v.Name] = value
	}
	text, err := t.Render(given, values, api.MaxPrompt)
	if err != nil {
		return "", err
	}
	return Parts{Words: []string{text}}.Assemble()
}

// askValue asks until something is typed; io.EOF means that nothing was.
func askValue(ctx context.Context, streams *terminal.Streams, v template.Variable) (string, error) {
	question := v.Name + ":"
	if v.Description != "" {
		question = fmt.Sprintf("%s (%s):", v.Name, v.Description)
	}
	for range maxQuestions {
		if value, err := streams.Ask(ctx, question); err != nil || value != "" {
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

// TemplateTitle returns the title of a conversation that begins with a template:
// its text begins the same every time, so the title is what it was asked about.
func TemplateTitle(name string, about []string) string {
	name = strings.ToLower(name)
	text := strings.TrimSpace(strings.Join(about, " "))
	if text == "" || text == "-" {
		return name
	}
	return name + ": " + history.TitleOf(text)
}
