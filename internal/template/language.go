package template

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"
)

// treeName is what the parser calls every template; errors replace it.
const treeName = "t"

// readBody parses the text and refuses what is not part of the language.
func (p *parser) readBody() {
	if strings.TrimSpace(p.body) == "" {
		p.fail(0, "the template has no text")
		return
	}
	trees := map[string]*parse.Tree{}
	tree, err := parse.New(treeName).Parse(p.body, "", "", trees, functions(), map[string]any{"and": true, "or": true, "not": true})
	if err != nil {
		line, cause := place(err)
		p.fail(line, "%s", cause)
		return
	}
	if len(trees) > 1 {
		p.fail(0, "{{define}} cannot be used in a template")
	}
	p.tree = tree
	p.check(tree.Root, false)
	for _, v := range p.Variables {
		if !p.used[v.Name] {
			p.fail(v.line, "the variable %q is not used: write {{.%s}} where it belongs", v.Name, v.Name)
		}
	}
}

// uses is what an expression uses.
type uses struct {
	given  bool // .Input or .Files
	chosen bool // a function that may print another value instead of them
}

// check refuses a node unless it is listed here. A guarded one is printed only if
// there is an Input or are Files.
func (p *parser) check(n parse.Node, guarded bool) (u uses) {
	switch n := n.(type) {
	case *parse.TextNode, *parse.StringNode:
	case *parse.ListNode:
		if n != nil { // there is an {{else}}
			for _, n := range n.Nodes {
				p.check(n, guarded)
			}
		}
	case *parse.ActionNode:
		u = p.check(n.Pipe, guarded)
		p.Needs = p.Needs || u.given && !u.chosen && !guarded
	case *parse.IfNode:
		guarded = p.check(n.Pipe, guarded).given || guarded
		p.check(n.List, guarded)
		p.check(n.ElseList, guarded)
	case *parse.PipeNode:
		if len(n.Decl) > 0 {
			p.failAt(n, "a template cannot set %s; its values come from --var and the front matter", n.Decl[0])
		}
		for _, command := range n.Cmds {
			for _, argument := range command.Args {
				used := p.check(argument, guarded)
				u = uses{u.given || used.given, u.chosen || used.chosen}
			}
		}
	case *parse.IdentifierNode:
		u.chosen = slices.Contains([]string{"default", "or", "and"}, n.Ident)
	case *parse.FieldNode:
		u.given = p.field(n)
	case *parse.RangeNode, *parse.WithNode, *parse.TemplateNode, *parse.BreakNode, *parse.ContinueNode:
		keyword, _, _ := strings.Cut(strings.Trim(n.String(), "{}"), " ")
		p.failAt(n, "{{%s}} cannot be used in a template", keyword)
	default:
		p.failAt(n, "{{%s}} cannot be used; write {{.name}} or a text in quotes", n)
	}
	return u
}

// field checks a name with a dot, and reports whether it is .Input or .Files.
func (p *parser) field(n *parse.FieldNode) (given bool) {
	name := n.Ident[0]
	switch what := checkVariable(name); {
	case len(n.Ident) > 1:
		p.failAt(n, "{{%s}} cannot be used; a value has no parts", n)
	case name == inputName || name == filesName:
		return true
	case what != "":
		p.failAt(n, "%s", what)
	}
	if !slices.ContainsFunc(p.Variables, func(v Variable) bool { return v.Name == name }) {
		p.Variables = append(p.Variables, Variable{Name: name})
	}
	p.used[name] = true
	return false
}

func (p *parser) failAt(n parse.Node, format string, args ...any) {
	p.fail(1+strings.Count(p.body[:n.Position()], "\n"), format, args...)
}

// place returns an error of text/template as its line and the rest, which it has
// only as a text: "template: t:4: cause" or, when it runs, "template: t:4:2:
// executing "t" at <expression>: cause".
func place(err error) (line int, cause string) {
	cause = err.Error()
	if rest, ok := strings.CutPrefix(cause, "template: "+treeName+":"); ok {
		_, _ = fmt.Sscanf(rest, "%d", &line)
		_, cause, _ = strings.Cut(rest, ": ")
	}
	if rest, ok := strings.CutPrefix(cause, `executing "`+treeName+`" at <`); ok {
		cause = "{{" + strings.Replace(rest, ">: ", "}}: ", 1)
	}
	return line, strings.Replace(cause, "started at "+treeName+":", "started in line ", 1)
}
