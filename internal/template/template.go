// Package template parses, stores and renders prompts with variables. Three of them
// are built in. The caller supplies the values of variables.
//
// A template is a Markdown file. It may begin with front matter, YAML between two
// --- lines, that describes it and its variables. The rest is a text/template with
// a safe subset of the syntax: {{.Input}}, {{.Files}} and {{.name}},
// {{if}} with {{else}}, text in quotes, and the functions and, or, not, eq, ne,
// default and trim. Without loops, definitions and access to files, rendering takes
// no longer than parsing.
//
// Shared directories may also contain templates of other tools. They are converted to
// this syntax, with everything but their own placeholders as literal text.
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

// Source is the unparsed text of a template.
type Source struct {
	Name string
	Path string // of its file; empty for a built-in template
	Dir  string // the directory that contains it; empty for a built-in template
	Text []byte
	// Format is that of the text. Only files in shared directories have other formats
	// than hobnob's own.
	Format Format
}

// Template is a prompt with variables.
type Template struct {
	Source
	Description string // may be empty; untrusted
	// Variables are those of the front matter in its order, then the others in
	// the order of their use.
	Variables []Variable
	// Needs reports whether the template always prints {{.Input}} or {{.Files}} and
	// so requires one of them.
	Needs bool
	// Ignored are the settings of another tool in the source that have no effect.
	Ignored []string

	body *template.Template
	// Placeholders for Input and Files. The user's texts replace them after
	// text/template has run, so they are never executed as a template and their
	// length does not slow it down.
	input, files string
}

// Variable is a value that a template needs.
type Variable struct {
	Name        string  // a letter, then letters, digits and _, all of ASCII
	Description string  // may be empty; untrusted
	Default     *string // nil if there is none
}

// Error is a mistake in a template.
type Error struct {
	Name string
	Path string // empty for a built-in template
	Line int    // in the file, from 1; 0 if the error concerns no single line
	What string
	// Foreign is set if the file has the format of another tool.
	Foreign bool
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.What
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.What)
}

// Failure implements failure.Explainer.
func (e *Error) Failure() failure.Failure {
	if e.Foreign {
		return failure.Failure{Kind: failure.Config, Hint: failure.Plain("correct the file, or write your own template: hobnob templates edit NAME")}
	}
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("to correct it: hobnob templates edit " + e.Name)}
}

// Given is the user's input to a template, in the order of a prompt. Each part may
// be empty; all of it is untrusted.
type Given struct {
	Words string // the arguments
	Files string // the files, each as a named block
	Stdin string // standard input
}

// Check returns an error of kind failure.Usage for the first of these names that
// is not a variable of the template.
func (t *Template) Check(names ...string) error {
	known := make([]string, len(t.Variables))
	for i, v := range t.Variables {
		known[i] = v.Name
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint := "variables: " + strings.Join(known, ", ")
		if near := suggest.Nearest(name, known); near != "" {
			hint = "did you mean --var " + near + "=…?"
		} else if len(known) == 0 {
			hint = "the template has no variables; see: hobnob templates show " + t.Name
		}
		return failure.Usagef(hint, "unknown variable %q in template %q", name, t.Name)
	}
	return nil
}

// Missing returns the variables with neither a value nor a default.
func (t *Template) Missing(values map[string]string) []Variable {
	return slices.DeleteFunc(slices.Clone(t.Variables), func(v Variable) bool {
		_, ok := values[v.Name]
		return ok || v.Default != nil
	})
}

// Render executes the template. Input that the template does not print is appended
// in the order of a prompt: words, files, standard input, separated by blank lines.
// A missing variable is empty. A result of more than limit bytes is an error; an
// expression that fails is an *Error.
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
	tooLarge := fmt.Errorf("the prompt from template %q is larger than the limit of %d MiB", t.Name, limit>>20)
	out := &limited{left: limit}
	if err := t.body.Execute(out, data); out.left < 0 {
		return "", tooLarge
	} else if err != nil {
		p := parser{Template: t}
		p.failTemplate(err)
		return "", p.err
	}
	text := strings.TrimSpace(out.text.String()) // before the user's texts are inserted
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

// join joins the texts that are not empty with blank lines.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// limited is a buffer with a maximum size.
type limited struct {
	text strings.Builder
	left int // remaining bytes; negative once the limit is exceeded
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.ErrShortWrite
	}
	return l.text.Write(p)
}
