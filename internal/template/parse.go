package template

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"go.yaml.in/yaml/v3"
)

// maxFile is the maximum size of a template, in bytes.
const maxFile = 256 << 10

// maxVariables is the maximum number of variables of a template.
const maxVariables = 200

// The names of the user's input, which every template has besides its variables.
const (
	inputName = "Input"
	filesName = "Files"
)

var (
	// fences match front matter: its text and the closing line.
	fences       = regexp.MustCompile(`(?ms)\A---[ \t]*$\n?(.*?)(^---[ \t]*$\n?|\z)`)
	variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
)

// Parse parses a template. It drops a byte order mark and treats CRLF as a newline.
// The error is an *Error.
func Parse(source Source) (*Template, error) {
	p := &parser{Template: &Template{Source: source, input: rand.Text(), files: rand.Text()}, unused: map[string]int{}}
	for _, step := range []func(){p.decode, p.convert, p.split, p.readFront, p.readBody, p.try} {
		if step(); p.err != nil {
			return nil, p.err
		}
	}
	return p.Template, nil
}

// parser holds the state of one Parse.
type parser struct {
	*Template
	raw         string // the text of the file, or with converted, the text it was converted to
	converted   bool
	front, text string
	unused      map[string]int // variables of the front matter and their lines
	err         *Error         // the first error
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.converted {
		line = 0 // the text is not that of the file
	}
	if p.err == nil {
		p.err = &Error{Name: p.Name, Path: p.Path, Line: line, What: fmt.Sprintf(format, args...), Foreign: p.Format != Own}
	}
}

// decode returns the text without a byte order mark and with newlines alone.
func (p *parser) decode() {
	if len(p.Text) > maxFile {
		p.fail(0, "%v", errTooLarge)
		return
	}
	text := strings.TrimPrefix(string(p.Text), "\ufeff")
	if bad := strings.IndexByte(strings.ToValidUTF8(text, "\x00"), 0); bad >= 0 {
		p.fail(1+strings.Count(text[:bad], "\n"), "not UTF-8 text")
	}
	p.raw = strings.ReplaceAll(text, "\r\n", "\n")
}

// split separates the front matter from the text. Both begin with as many empty
// lines as are needed to keep the line numbers of the file.
func (p *parser) split() {
	switch m := fences.FindStringSubmatchIndex(p.raw); {
	case m == nil:
		p.text = p.raw
	case m[4] == m[5]:
		p.fail(1, "unterminated front matter: closing --- line is missing")
	default:
		p.front = "\n" + p.raw[m[2]:m[3]]
		p.text = strings.Repeat("\n", strings.Count(p.raw[:m[1]], "\n")) + p.raw[m[1]:]
	}
}

// readFront parses the description and the variables.
func (p *parser) readFront() {
	front := p.parseYAML(p.front, " in the front matter")
	if front == nil {
		return
	}
	_, fields := p.mapping(front, "the front matter", "the front matter", "description", "variables")
	p.Description = p.scalar(fields["description"], "description")
	names, values := p.mapping(fields["variables"], "variables", "")
	for _, name := range names {
		if wrong := invalidVariable(name.Value); wrong != "" {
			p.fail(name.Line, "%s", wrong)
		}
		p.unused[name.Value] = name.Line
		v, value := Variable{Name: name.Value}, values[name.Value]
		if value.Kind == yaml.ScalarNode && value.Tag != null {
			v.Default = &value.Value
		} else {
			_, parts := p.mapping(value, "the variable "+v.Name, "a variable", "description", "default")
			v.Description = p.scalar(parts["description"], "description")
			if parts["default"] != nil {
				v.Default = new(p.scalar(parts["default"], "default"))
			}
		}
		p.Variables = append(p.Variables, v)
	}
}

// parseYAML returns the root of a document, nil if it is invalid or nothing but comments.
func (p *parser) parseYAML(text, where string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		// The error has its line only in its text: "yaml: line 3: cause".
		line, cause := 1, strings.TrimPrefix(err.Error(), "yaml: ")
		if n, _ := fmt.Sscanf(cause, "line %d:", &line); n > 0 {
			_, cause, _ = strings.Cut(cause, ": ")
			if strings.HasPrefix(cause, "did not find ") || strings.HasPrefix(cause, "found a tab ") {
				line++ // yaml counts lines from 0 in these errors
			}
		}
		line = min(line, 1+strings.Count(text, "\n")) // a carriage return is a line for yaml, too
		p.fail(line, "invalid YAML%s: %s", where, cause)
		return nil
	}
	if document.Kind == 0 {
		return nil
	}
	return document.Content[0]
}

// invalidVariable returns why a name cannot be that of a variable, or "".
func invalidVariable(name string) string {
	switch {
	case strings.EqualFold(name, inputName), strings.EqualFold(name, filesName):
		return fmt.Sprintf("invalid variable name %q: {{.Input}} and {{.Files}} are reserved", name)
	case !variableName.MatchString(name):
		return fmt.Sprintf("invalid variable name %q: use a letter, then letters, digits and _", name)
	}
	return ""
}

// null is the tag of an entry without a value.
const null = "!!null"

// mapping returns the keys of a mapping in order, and their values; nil and null
// have none. If fields are given, other keys are errors.
func (p *parser) mapping(node *yaml.Node, name, owner string, fields ...string) (keys []*yaml.Node, values map[string]*yaml.Node) {
	if node == nil || node.Kind != yaml.MappingNode {
		if node != nil && node.Tag != null {
			p.fail(node.Line, "%s is not a mapping of names to values", name)
		}
		return nil, nil
	}
	values = map[string]*yaml.Node{}
	for pair := range slices.Chunk(node.Content, 2) {
		key := pair[0]
		p.scalar(key, "a key")
		if values[key.Value] != nil {
			p.fail(key.Line, "duplicate key %q", key.Value)
		}
		if len(fields) > 0 && !slices.Contains(fields, key.Value) {
			p.fail(key.Line, "%s has no %q; it may have %s", owner, key.Value, strings.Join(fields, " and "))
		}
		keys, values[key.Value] = append(keys, key), pair[1]
	}
	return keys, values
}

// scalar returns the text of a node, "" for nil and null.
func (p *parser) scalar(node *yaml.Node, name string) string {
	if node == nil || node.Tag == null {
		return ""
	}
	if node.Kind != yaml.ScalarNode {
		p.fail(node.Line, "%s is not a text", name)
	}
	return node.Value
}

// readBody parses the text and refuses syntax outside the subset.
func (p *parser) readBody() {
	if strings.TrimSpace(p.text) == "" {
		p.fail(0, "the template has no text")
		return
	}
	marks := []string{p.input, p.files}
	compare := func(equal bool) func(a, b string) (bool, error) {
		return func(a, b string) (bool, error) {
			if a != "" && b != "" && (slices.Contains(marks, a) || slices.Contains(marks, b)) {
				return false, errors.New("{{.Input}} and {{.Files}} cannot be compared with a text")
			}
			return (a == b) == equal, nil
		}
	}
	functions := template.FuncMap{
		"eq": compare(true), "ne": compare(false), "trim": strings.TrimSpace,
		"default": func(fallback, value string) string { return cmp.Or(value, fallback) },
	}
	var err error
	if p.body, err = template.New("t").Option("missingkey=zero").Funcs(functions).Parse(p.text); err != nil {
		p.failTemplate(err)
		return
	}
	if len(p.body.Templates()) > 1 {
		p.fail(0, "{{define}} cannot be used in a template")
	}
	p.check(p.body.Root, false)
	for _, v := range p.Variables {
		if line := p.unused[v.Name]; line > 0 {
			p.fail(line, "unused variable %q: write {{.%s}} where its value belongs", v.Name, v.Name)
		}
	}
}

// failTemplate records an error of text/template, which has its line only in its
// text: "template: t:4: cause" or, from execution, "template: t:4:2: executing "t" at
// <expression>: cause".
func (p *parser) failTemplate(err error) {
	line, cause := 0, strings.TrimPrefix(err.Error(), "template: t:")
	_, _ = fmt.Sscanf(cause, "%d", &line)
	_, cause, _ = strings.Cut(cause, ": ")
	if rest, ok := strings.CutPrefix(cause, `executing "t" at <`); ok {
		cause = "{{" + strings.Replace(rest, ">: ", "}}: ", 1)
	}
	p.fail(line, "%s", strings.Replace(cause, "started at t:", "started in line ", 1))
}

// check refuses every node that is not listed here. A guarded node is printed only
// if Input or Files is not empty. For an expression, check reports whether it uses
// one of these, and whether a function in it may print another value instead.
func (p *parser) check(n parse.Node, guarded bool) (given, chosen bool) {
	switch n := n.(type) {
	case *parse.TextNode, *parse.StringNode:
	case *parse.ListNode:
		for _, n := range n.Nodes {
			p.check(n, guarded)
		}
	case *parse.ActionNode:
		given, chosen = p.check(n.Pipe, guarded)
		p.Needs = p.Needs || given && !chosen && !guarded
	case *parse.IfNode:
		given, _ = p.check(n.Pipe, guarded)
		p.check(n.List, given || guarded)
		if n.ElseList != nil {
			p.check(n.ElseList, given || guarded)
		}
	case *parse.PipeNode:
		if len(n.Decl) > 0 {
			p.failAt(n, "cannot assign %s in a template: values come from --var and the front matter", n.Decl[0])
		}
		for _, command := range n.Cmds {
			for _, argument := range command.Args {
				g, c := p.check(argument, guarded)
				given, chosen = given || g, chosen || c
			}
		}
	case *parse.IdentifierNode:
		chosen = slices.Contains([]string{"default", "or", "and"}, n.Ident)
		if !chosen && !slices.Contains([]string{"not", "eq", "ne", "trim"}, n.Ident) {
			p.failAt(n, "function %q not defined", n.Ident)
		}
	case *parse.FieldNode:
		given = p.checkField(n)
	case *parse.RangeNode, *parse.WithNode, *parse.TemplateNode:
		keyword, _, _ := strings.Cut(strings.Trim(n.String(), "{}"), " ")
		p.failAt(n, "{{%s}} cannot be used in a template", keyword)
	default:
		p.failAt(n, "{{%s}} cannot be used; write {{.name}} or a text in quotes", n)
	}
	return given, chosen
}

// checkField checks a field such as .name, and reports whether it is .Input or .Files.
func (p *parser) checkField(n *parse.FieldNode) (given bool) {
	name := n.Ident[0]
	if len(n.Ident) > 1 {
		p.failAt(n, "{{%s}} cannot be used; a value has no parts", n)
	}
	if name == inputName || name == filesName {
		return true
	}
	if wrong := invalidVariable(name); wrong != "" {
		p.failAt(n, "%s", wrong)
	}
	delete(p.unused, name)
	if len(p.Variables) > maxVariables {
		p.fail(0, "more than %d variables", maxVariables)
	} else if !slices.ContainsFunc(p.Variables, func(v Variable) bool { return v.Name == name }) {
		p.Variables = append(p.Variables, Variable{Name: name})
	}
	return false
}

func (p *parser) line(n parse.Node) int { return 1 + strings.Count(p.text[:n.Position()], "\n") }

func (p *parser) failAt(n parse.Node, format string, args ...any) {
	if p.err == nil { // counting lines is slow
		p.fail(p.line(n), format, args...)
	}
}

// try executes the template with and without values, so that an expression that
// fails is found when the template is saved.
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
