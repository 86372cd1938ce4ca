package template

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// Given is what the user asks with a template, in the order of a prompt. Each may
// be empty, and all of it is hostile.
type Given struct {
	Words string // the arguments
	Files string // the files, each as a named block
	Stdin string // standard input
}

// input is what {{.Input}} stands for.
func (g Given) input() string { return join(g.Words, g.Stdin) }

// UnknownVariableError says that a value was given for what is no variable.
type UnknownVariableError struct {
	Template, Variable string
	Known              []string // in the template's order
}

func (e *UnknownVariableError) Error() string {
	return fmt.Sprintf("the template %q has no variable %q", e.Template, e.Variable)
}

// Check returns an *UnknownVariableError for the first of these names that is no
// variable of the template.
func (t *Template) Check(names ...string) error {
	known := make([]string, len(t.Variables))
	is := map[string]bool{}
	for i, v := range t.Variables {
		known[i] = v.Name
		is[v.Name] = true
	}
	for _, name := range names {
		if !is[name] {
			return &UnknownVariableError{Template: t.Name, Variable: name, Known: known}
		}
	}
	return nil
}

// Missing returns the variables that have neither a value nor a default.
func (t *Template) Missing(values map[string]string) []Variable {
	var missing []Variable
	for _, v := range t.Variables {
		if _, ok := values[v.Name]; !ok && v.Default == nil {
			missing = append(missing, v)
		}
	}
	return missing
}

// Render fills the template in. What was given and is not printed by the template
// follows it in the order of a prompt, so that nothing is lost: words, files,
// standard input, with a blank line between. A missing variable is empty. The
// result has at most limit bytes; more is an error, and so is an expression that
// the template's language cannot compute, as an *Error.
//
// The template is given marks in place of Input and Files, which it can neither
// read nor change; the texts come in their place when it is done. So no text is
// ever taken for a template, and how long they are costs the template nothing.
func (t *Template) Render(given Given, values map[string]string, limit int) (string, error) {
	data := map[string]string{}
	for _, v := range t.Variables {
		if v.Default != nil {
			data[v.Name] = *v.Default
		}
		if value, ok := values[v.Name]; ok {
			data[v.Name] = value
		}
	}
	input, files := mark(given.input()), mark(given.Files)
	data[inputName], data[filesName] = input, files
	text, err := t.execute(data, limit)
	if err != nil {
		return "", err
	}
	// The ends are trimmed before a text stands there that is the user's.
	text = strings.TrimSpace(text)
	printsInput, printsFiles := input != "" && strings.Contains(text, input), files != "" && strings.Contains(text, files)
	parts := []string{text}
	if !printsInput {
		parts = append(parts, given.Words)
	}
	if !printsFiles {
		parts = append(parts, given.Files)
	}
	if !printsInput {
		parts = append(parts, given.Stdin)
	}
	text = join(parts...)
	size := len(text)
	var replace []string
	for _, r := range []struct{ mark, text string }{{input, given.input()}, {files, given.Files}} {
		if r.mark != "" {
			size += strings.Count(text, r.mark) * (len(r.text) - len(r.mark))
			replace = append(replace, r.mark, r.text)
		}
	}
	if size > limit {
		return "", t.tooLarge(limit)
	}
	return strings.NewReplacer(replace...).Replace(text), nil
}

// mark stands for a text, and is empty when the text is. Nobody can guess it.
func mark(text string) string {
	if text == "" {
		return ""
	}
	return rand.Text()
}

// join puts a blank line between the texts that are not empty.
func join(texts ...string) string {
	var parts []string
	for _, text := range texts {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// execute runs the template; data has every name that it uses, or "" for it.
func (t *Template) execute(data map[string]string, limit int) (string, error) {
	run := template.New(treeName).Option("missingkey=zero").Funcs(functions(data[inputName], data[filesName]))
	run, err := run.AddParseTree(treeName, t.tree)
	if err != nil {
		return "", err
	}
	out := &limited{left: limit}
	if err := run.Execute(out, data); errors.Is(err, errLimit) {
		return "", t.tooLarge(limit)
	} else if err != nil {
		bad := placed(err)
		bad.Name, bad.Path = t.Name, t.Path
		return "", bad
	}
	return out.text.String(), nil
}

func (t *Template) tooLarge(limit int) error {
	return fmt.Errorf("the template %q filled in has more than the limit of %d MiB", t.Name, limit>>20)
}

// functions are what known names, but for those of text/template itself.
func functions(input, files string) template.FuncMap {
	isGiven := func(text string) bool { return text != "" && (text == input || text == files) }
	eq := func(a, b string) (bool, error) {
		if isGiven(a) && b != "" || isGiven(b) && a != "" {
			return false, errors.New("{{.Input}} and {{.Files}} cannot be compared with a text")
		}
		return a == b, nil
	}
	return template.FuncMap{
		"eq": eq,
		"ne": func(a, b string) (bool, error) {
			equal, err := eq(a, b)
			return !equal, err
		},
		"default": func(fallback, value string) string {
			if value == "" {
				return fallback
			}
			return value
		},
		"trim": strings.TrimSpace,
	}
}

// try runs the template with something and with nothing in place of every value,
// so that an expression that cannot be computed is found when it is written.
func (t *Template) try() *Error {
	for _, value := range []string{"x", ""} {
		data := map[string]string{inputName: mark(value), filesName: mark(value)}
		for _, v := range t.Variables {
			data[v.Name] = value
		}
		var bad *Error
		if _, err := t.execute(data, 2*maxFile); errors.As(err, &bad) {
			return bad
		}
	}
	return nil
}

var errLimit = errors.New("the limit is reached")

// limited is a text that does not grow beyond a limit.
type limited struct {
	text strings.Builder
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errLimit
	}
	return l.text.Write(p)
}
