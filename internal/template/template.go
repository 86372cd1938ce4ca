// Package template owns prompts with variables: the language that they are
// written in, their files, and the three that are built in. It knows neither
// commands nor the service, and asks nobody for a value.
//
// A template is a Markdown file. It may begin with a front matter, YAML between
// two lines ---, that describes it and its variables. The rest is a text/template
// of which only a harmless part is allowed: {{.Input}}, {{.Files}} and {{.name}},
// {{if}} with {{else}}, text in quotes, and the functions and, or, not, eq, ne,
// default and trim. There is no loop, no definition and no way to reach a file, so
// that rendering takes no longer than reading the template.
package template

import (
	"bytes"
	"fmt"
	"strings"
	"text/template/parse"
	"unicode/utf8"
)

// maxFile bounds a template, in bytes.
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
	Description string // may be empty; hostile
	// Variables are those of the front matter in its order, then the others in
	// that of their use.
	Variables []Variable
	// Needs tells that the template prints {{.Input}} or {{.Files}} whatever they
	// are, so that without either there is nothing for it to work on.
	Needs bool

	tree *parse.Tree
}

// Variable is a value that a template wants.
type Variable struct {
	Name        string  // a letter, then letters, digits and _, all of ASCII
	Description string  // may be empty; hostile
	Default     *string // nil when there is none

	line int // of the front matter
}

// Error says what is wrong with a template, and where.
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
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	return where + ": " + e.What
}

// Parse reads a template. A byte order mark is dropped and CRLF is a newline. The
// error is an *Error.
func Parse(source Source) (*Template, error) {
	t := &Template{Source: source}
	text, err := decode(source.Text)
	if err == nil {
		err = t.parse(text)
	}
	if err != nil {
		err.Name, err.Path = source.Name, source.Path
		return nil, err
	}
	return t, nil
}

func (t *Template) parse(text string) *Error {
	front, body, skipped, err := split(text)
	if err != nil {
		return err
	}
	if err := t.readFront(front); err != nil {
		return err
	}
	if strings.TrimSpace(body) == "" {
		return &Error{What: "the template has no text"}
	}
	// The lines of the front matter make the numbers in errors those of the file.
	if err := t.readBody(strings.Repeat("\n", skipped) + body); err != nil {
		return err
	}
	return t.try()
}

// decode returns the text of a file.
func decode(data []byte) (string, *Error) {
	if len(data) > maxFile {
		return "", &Error{What: errTooLarge.Error()}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			return "", &Error{Line: 1 + bytes.Count(data[:i], []byte("\n")), What: "it is not UTF-8 text"}
		}
		i += size
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), nil
}
