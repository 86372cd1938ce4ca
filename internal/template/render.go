package template

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
)

// Given is what the user asks with a template, in the order of a prompt. Each may
// be empty, and all of it is untrusted.
type Given struct {
	Words string // the arguments
	Files string // the files, each as a named block
	Stdin string // standard input
}

// UnknownVariableError reports a value for a variable that the template does not
// have.
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
	for i, v := range t.Variables {
		known[i] = v.Name
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
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
// cannot be computed, as an *Error.
//
// The template is given random marks instead of Input and Files, which it can
// neither read nor change; the texts replace them when it is done. So no text is
// ever taken for a template, and how long they are costs the template nothing.
func (t *Template) Render(given Given, values map[string]string, limit int) (string, error) {
	data, replace := map[string]string{}, []string(nil)
	for _, v := range t.Variables {
		if v.Default != nil {
			data[v.Name] = *v.Default
		}
	}
	maps.Copy(data, values)
	mark := func(text string) string {
		if text == "" {
			return ""
		}
		mark := rand.Text()
		replace = append(replace, mark, text)
		return mark
	}
	input, files := mark(join(given.Words, given.Stdin)), mark(given.Files)
	data[inputName], data[filesName] = input, files

	run, err := template.New(treeName).Option("missingkey=zero").Funcs(functions(input, files)).AddParseTree(treeName, t.tree)
	if err != nil {
		return "", err
	}
	tooLarge := fmt.Errorf("the template %q filled in has more than the limit of %d MiB", t.Name, limit>>20)
	out := &limited{left: limit}
	if err := run.Execute(out, data); out.left < 0 {
		return "", tooLarge
	} else if err != nil {
		line, cause := place(err)
		return "", &Error{Name: t.Name, Path: t.Path, Line: line, What: cause}
	}
	text := strings.TrimSpace(out.text.String()) // while no text of the user is there
	if strings.Contains(text, input) {
		given.Words, given.Stdin = "", ""
	}
	if strings.Contains(text, files) {
		given.Files = ""
	}
	out = &limited{left: limit}
	if _, err := strings.NewReplacer(replace...).WriteString(out, join(text, given.Words, given.Files, given.Stdin)); err != nil {
		return "", tooLarge
	}
	return out.text.String(), nil
}

// join puts a blank line between the texts that are not empty.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// functions are those that a template may call besides and, or and not of
// text/template. A mark may be compared with nothing but "".
func functions(marks ...string) template.FuncMap {
	eq := func(a, b string) (bool, error) {
		if a != "" && b != "" && (slices.Contains(marks, a) || slices.Contains(marks, b)) {
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
		"default": func(fallback, value string) string { return cmp.Or(value, fallback) },
		"trim":    strings.TrimSpace,
	}
}

// limited is a text that does not grow beyond a limit.
type limited struct {
	text strings.Builder
	left int // less than 0 beyond the limit
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.ErrShortWrite
	}
	return l.text.Write(p)
}
