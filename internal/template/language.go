package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

// treeName is what the parser calls every template; errors replace it.
const treeName = "t"

// known are the functions. and, or and not are those of text/template.
var known = map[string]any{"and": true, "or": true, "not": true, "eq": true, "ne": true, "default": true, "trim": true}

var (
	parserPlace = regexp.MustCompile(`^template: ` + treeName + `:(\d+):(?:\d+:)? `)
	startedAt   = regexp.MustCompile(`started at ` + treeName + `:(\d+)`)
	executing   = regexp.MustCompile(`^executing "` + treeName + `" at <((?s:.*?))>: `)
)

// readBody parses the text and refuses what is not part of the language.
func (t *Template) readBody(body string) *Error {
	trees := map[string]*parse.Tree{}
	tree, err := parse.New(treeName).Parse(body, "", "", trees, known)
	if err != nil {
		return placed(err)
	}
	if len(trees) > 1 {
		return &Error{What: "{{define}} cannot be used in a template"}
	}
	t.tree = tree
	c := checker{template: t, used: map[string]bool{}}
	c.list(tree.Root, false)
	for _, v := range t.Variables {
		if c.err == nil && !c.used[v.Name] {
			c.err = &Error{Line: v.line, What: fmt.Sprintf("the variable %q is not used: write {{.%s}} where it belongs", v.Name, v.Name)}
		}
	}
	return c.err
}

// checker walks through a template and stops at the first error.
type checker struct {
	template *Template
	err      *Error
	used     map[string]bool // variables

	// Of the expression that is looked at:
	given  bool // it holds .Input or .Files
	chosen bool // it holds a function that may print another value in their place
}

func (c *checker) fail(n parse.Node, format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Line: c.line(n), What: fmt.Sprintf(format, args...)}
	}
}

// line is where a node begins.
func (c *checker) line(n parse.Node) int {
	location, _ := c.template.tree.ErrorContext(n)
	if fields := strings.Split(location, ":"); len(fields) > 1 {
		line, _ := strconv.Atoi(fields[1])
		return line
	}
	return 0
}

// list checks the nodes of a block. It is guarded when it is printed only if there
// is an Input or are Files.
func (c *checker) list(list *parse.ListNode, guarded bool) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
		case *parse.ActionNode:
			if given, chosen := c.pipe(n.Pipe); given && !chosen && !guarded {
				c.template.Needs = true
			}
		case *parse.IfNode:
			given, _ := c.pipe(n.Pipe)
			c.list(n.List, guarded || given)
			c.list(n.ElseList, guarded || given)
		default:
			c.fail(n, "{{%s}} cannot be used in a template", word(n))
		}
		if c.err != nil {
			return
		}
	}
}

// pipe checks the expression of an action or a condition.
func (c *checker) pipe(pipe *parse.PipeNode) (given, chosen bool) {
	c.given, c.chosen = false, false
	c.expression(pipe)
	return c.given, c.chosen
}

func (c *checker) expression(pipe *parse.PipeNode) {
	if len(pipe.Decl) > 0 {
		c.fail(pipe, "a template cannot set %s; its values come from --var and the front matter", pipe.Decl[0])
		return
	}
	for _, command := range pipe.Cmds {
		for _, arg := range command.Args {
			c.argument(arg)
		}
	}
}

func (c *checker) argument(arg parse.Node) {
	switch n := arg.(type) {
	case *parse.StringNode:
	case *parse.IdentifierNode:
		c.chosen = c.chosen || slices.Contains([]string{"default", "or", "and"}, n.Ident)
	case *parse.PipeNode:
		c.expression(n)
	case *parse.FieldNode:
		c.field(n)
	default:
		c.fail(arg, "{{%s}} cannot be used; write {{.name}} or a text in quotes", arg)
	}
}

func (c *checker) field(n *parse.FieldNode) {
	if len(n.Ident) > 1 {
		c.fail(n, "{{%s}} cannot be used; a value has no parts", n)
		return
	}
	name := n.Ident[0]
	if name == inputName || name == filesName {
		c.given = true
		return
	}
	if what := checkVariable(name); what != "" {
		c.fail(n, "%s", what)
		return
	}
	if !slices.ContainsFunc(c.template.Variables, func(v Variable) bool { return v.Name == name }) {
		c.template.Variables = append(c.template.Variables, Variable{Name: name})
	}
	c.used[name] = true
}

// word is the keyword of a node.
func word(n parse.Node) string {
	fields := strings.Fields(strings.TrimPrefix(n.String(), "{{"))
	if len(fields) == 0 {
		return "?"
	}
	return strings.TrimSuffix(fields[0], "}}")
}

// placed takes an error of text/template apart.
func placed(err error) *Error {
	text := err.Error()
	out := &Error{}
	if at := parserPlace.FindStringSubmatch(text); at != nil {
		out.Line, _ = strconv.Atoi(at[1])
		text = text[len(at[0]):]
	}
	text = startedAt.ReplaceAllString(text, "started in line $1")
	out.What = executing.ReplaceAllString(text, "{{$1}}: ")
	return out
}
