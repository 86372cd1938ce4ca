// Package template owns prompts with variables: their language, their files and
// the three that are built in. It must not know commands, the service or the
// terminal; the values of variables come from its caller.
//
// A template is a Markdown file. It may begin with a front matter, YAML between
// two lines ---, that describes it and its variables. The rest is a text/template
// of which only a harmless part is allowed: {{.Input}}, {{.Files}} and {{.name}},
// {{if}} with {{else}}, text in quotes, and the functions and, or, not, eq, ne,
// default and trim. There is no loop, no definition and no way to reach a file, so
// that rendering takes no longer than reading the template.
package template

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// Source is a template as it is written.
type Source struct {
	Name string
	Path string // of its file; empty for a built-in one
	Text []byte
}

// Template is a prompt with variables.
type Template struct {
	Source
	Description string // may be empty; untrusted
	// Variables are those of the front matter in its order, then the others in
	// the order of their use.
	Variables []Variable
	// Needs reports that the template always prints {{.Input}} or {{.Files}}, so
	// that without either it has nothing to work on.
	Needs bool

	body *template.Template
	// The values of Input and Files, which text/template can neither read nor
	// change; the texts of the user replace them in what it prints. So no text is
	// ever taken for a template, and its length costs the template nothing.
	input, files string
}

// Variable is a value that a template needs.
type Variable struct {
	Name        string  // a letter, then letters, digits and _, all of ASCII
	Description string  // may be empty; untrusted
	Default     *string // nil when there is none
}

// Error is a mistake in a template.
type Error struct {
	Name string
	Path string // empty for a built-in template
	Line int    // from 1, of the file; 0 when it is not one line
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.What
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.What)
}

// Failure implements failure.Explainer.
func (e *Error) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("correct it with: hobnob templates edit " + e.Name)}
}

// Given is what the user asks with a template, in the order of a prompt. Each may
// be empty, and all of it is untrusted.
type Given struct {
	Words string // the arguments
	Files string // the files, each as a named block
	Stdin string // standard input
}

// Check returns an error of kind failure.Usage for the first of these names that
// is no variable of the template.
func (t *Template) Check(names ...string) error {
	known := make([]string, len(t.Variables))
	for i, v := range t.Variables {
		known[i] = v.Name
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint := "its variables: " + strings.Join(known, ", ")
		if near := suggest.Nearest(name, known); near != "" {
			hint = "did you mean --var " + near + "=…?"
		} else if len(known) == 0 {
			hint = "it has no variables; see: hobnob templates show " + t.Name
		}
		return failure.Usagef(hint, "the template %q has no variable %q", t.Name, name)
	}
	return nil
}

// Missing returns the variables that have neither a value nor a default.
func (t *Template) Missing(values map[string]string) []Variable {
	return slices.DeleteFunc(slices.Clone(t.Variables), func(v Variable) bool {
		_, ok := values[v.Name]
		return ok || v.Default != nil
	})
}

// Render fills the template in. What was given and is not printed by the template
// follows it in the order of a prompt, so that nothing is lost: words, files,
// standard input, with a blank line between. A missing variable is empty. The
// result has at most limit bytes; more is an error, and so is an expression that
// cannot be computed, as an *Error.
func (t *Template) Render(given Given, values map[string]string, limit int) (string, error) {
	data, asked := map[string]string{}, join(given.Words, given.Stdin)
	for _, v := range t.Variables {
		if v.Default != nil {
			data[v.Name] = *v.Default
		}
	}
	maps.Copy(data, values)
	if asked != "" {
		data[inputName] = t.input
	}
	if given.Files != "" {
		data[filesName] = t.files
	}
	marks := strings.NewReplacer(t.input, asked, t.files, given.Files)
	tooLarge := fmt.Errorf("the template %q filled in has more than the limit of %d MiB", t.Name, limit>>20)
	out := &limited{left: limit}
	if err := t.body.Execute(out, data); out.left < 0 {
		return "", tooLarge
	} else if err != nil {
		p := parser{Template: t}
		p.failTemplate(err)
		return "", p.err
	}
	text := strings.TrimSpace(out.text.String()) // while no text of the user is in it
	if strings.Contains(text, t.input) {
		given.Words, given.Stdin = "", ""
	}
	if strings.Contains(text, t.files) {
		given.Files = ""
	}
	out = &limited{left: limit}
	if _, err := marks.WriteString(out, join(text, given.Words, given.Files, given.Stdin)); err != nil {
		return "", tooLarge
	}
	return out.text.String(), nil
}

// join puts a blank line between the texts that are not empty.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
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
