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

// maxQuestions is the maximum number of times that the user is asked for one value.
const maxQuestions = 3

// ParseVariables parses variables of the form name=value. If a name is repeated, the
// last value is used.
func ParseVariables(given []string) (map[string]string, error) {
	values := map[string]string{}
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return values, failure.Usagef("for example: --var language=English", "invalid value %q for --var: must be name=value", text)
		}
		values[name] = value
	}
	return values, nil
}

// render returns the text of a question from a template. It asks for missing values on
// the terminal and adds them to values. If edited is set, the template needs no input,
// because the text will be edited.
func (p Parts) render(ctx context.Context, t *template.Template, values map[string]string, edited bool, streams *terminal.Streams) (string, error) {
	var texts [3]string
	for i, part := range []Parts{{Words: p.Words}, {Files: p.Files}, {Stdin: p.Stdin}} {
		var err error
		if texts[i], err = part.Assemble(); err != nil && !errors.Is(err, ErrEmpty) {
			return "", err
		}
	}
	given := template.Given{Words: texts[0], Files: texts[1], Stdin: texts[2]}
	if t.Needs && given == (template.Given{}) && !edited {
		return "", failure.Usagef("pass a prompt, files with -f, or a pipe: git diff | hobnob chat -t "+t.Name, "template %q needs input", t.Name)
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

// askValue asks for a value until the user types one. The error is io.EOF if the user
// types none.
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

// noValues returns an error that names the missing variables and the flags to set them.
func noValues(t *template.Template, missing []template.Variable) error {
	var names, flags []string
	for _, v := range missing {
		names = append(names, v.Name)
		flags = append(flags, "--var "+v.Name+"=…")
	}
	return failure.Usagef("pass "+strings.Join(flags, " "), "template %q needs a value for: %s", t.Name, strings.Join(names, ", "))
}

// TemplateTitle returns the title of a conversation that starts with a template: the name
// of the template and what it was asked about. Titles taken from the text would all begin
// with the same words.
func TemplateTitle(name string, about []string) string {
	name = strings.ToLower(name)
	text := strings.TrimSpace(strings.Join(about, " "))
	if text == "" || text == "-" {
		return name
	}
	return name + ": " + history.TitleOf(text)
}
