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
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template/parse"
	"unicode/utf8"
)

// maxFile is the maximum size of a template, in bytes.
const maxFile = 256 << 10

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

	tree *parse.Tree
}

// Variable is a value that a template needs.
type Variable struct {
	Name        string  // a letter, then letters, digits and _, all of ASCII
	Description string  // may be empty; untrusted
	Default     *string // nil when there is none

	line int // of the front matter
}

// Error is a mistake in a template.
type Error struct {
	Name string
	Path string // empty for a built-in template
	Line int    // from 1, of the file; 0 when it is not one line
	What string
}

func (e *Error) Error() string {
	where := e.Path
	if where == "" {
		where = fmt.Sprintf("the built-in template %q", e.Name)
	}
	if e.Line == 0 {
		return where + ": " + e.What
	}
	return fmt.Sprintf("%s:%d: %s", where, e.Line, e.What)
}

// Parse reads a template. A byte order mark is dropped and CRLF is a newline. The
// error is an *Error.
func Parse(source Source) (*Template, error) {
	p := &parser{Template: &Template{Source: source}, used: map[string]bool{}}
	for _, step := range []func(){p.decode, p.split, p.readFront, p.readBody, p.try} {
		if step(); p.err != nil {
			return nil, p.err
		}
	}
	return p.Template, nil
}

// parser reads a template in steps.
type parser struct {
	*Template
	text, front, body string
	used              map[string]bool // variables
	err               *Error          // the first
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Name: p.Name, Path: p.Path, Line: line, What: fmt.Sprintf(format, args...)}
	}
}

func (p *parser) decode() {
	if len(p.Text) > maxFile {
		p.fail(0, "%v", errTooLarge)
		return
	}
	text, number := strings.TrimPrefix(string(p.Text), "\ufeff"), 0
	for line := range strings.Lines(text) {
		if number++; !utf8.ValidString(line) || strings.Contains(line, "\x00") {
			p.fail(number, "it is not UTF-8 text")
		}
	}
	p.text = strings.ReplaceAll(text, "\r\n", "\n")
}

// fences match a front matter: its text, and the line that ends it.
var fences = regexp.MustCompile(`(?ms)\A---[ \t]*$\n?(.*?)(^---[ \t]*$\n?|\z)`)

// split separates the front matter from the body. Each begins with as many empty
// lines as it takes to count lines as the file does.
func (p *parser) split() {
	switch m := fences.FindStringSubmatchIndex(p.text); {
	case m == nil:
		p.body = p.text
	case m[4] == m[5]:
		p.fail(1, "the front matter that begins here does not end: a line --- is missing")
	default:
		p.front = "\n" + p.text[m[2]:m[3]]
		p.body = strings.Repeat("\n", strings.Count(p.text[:m[1]], "\n")) + p.text[m[1]:]
	}
}

// try renders the template with something and with nothing for every value, so
// that an expression that cannot be computed is found when it is written.
func (p *parser) try() {
	for _, value := range []string{"x", ""} {
		values := map[string]string{}
		for _, v := range p.Variables {
			values[v.Name] = value
		}
		if _, err := p.Render(Given{Words: value, Files: value}, values, 2*maxFile); errors.As(err, &p.err) {
			return
		}
	}
}
