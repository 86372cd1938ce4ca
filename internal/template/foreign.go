package template

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Format is the format of a template's text.
type Format string

// The formats that a template can have.
const (
	Own    Format = ""       // a text/template with front matter
	Fabric Format = "fabric" // a pattern of fabric: the file system.md in its directory
	LLM    Format = "llm"    // a template of llm, in YAML
	Prompt Format = "prompt" // a Markdown file of another tool, with front matter of its own
)

// Convert returns the text of a template in hobnob's own format, unchanged if it has this
// format. The error is an *Error.
func Convert(source Source) ([]byte, error) {
	if source.Format == Own {
		return source.Text, nil
	}
	p := &parser{Template: &Template{Source: source}}
	if p.decode(); p.err == nil {
		p.convert()
	}
	if p.err != nil {
		return nil, p.err
	}
	return []byte(p.raw), nil
}

// convert replaces the text of another tool with the same template in hobnob's own
// format.
func (p *parser) convert() {
	f := foreign{parser: p, defaults: map[string]string{}, explanations: map[string]string{}, used: map[string]bool{}}
	switch p.Format {
	case Own:
		return
	case Fabric:
		f.fabric()
	case LLM:
		f.llm()
	case Prompt:
		f.prompt()
	}
	if p.err == nil {
		p.raw, p.converted = f.own(), true
	}
}

// foreign converts a template of another tool. All text except placeholders becomes
// literal text, which Render does not evaluate.
type foreign struct {
	*parser
	description  string
	defaults     map[string]string // of variables
	explanations map[string]string // of variables
	names        []string          // of variables, in the order of their use
	used         map[string]bool   // of names, and of inputName
	body         strings.Builder
}

// braces match where text could be read as the beginning of an action: two braces, or one
// at the end, which an action may follow.
var braces = regexp.MustCompile(`\{{2,}|\{$`)

// literal adds text.
func (f *foreign) literal(text string) {
	f.body.WriteString(braces.ReplaceAllStringFunc(text, func(run string) string { return `{{"` + run + `"}}` }))
}

// input adds the user's input.
func (f *foreign) input() {
	f.used[inputName] = true
	f.body.WriteString("{{." + inputName + "}}")
}

// variable adds the value of a variable.
func (f *foreign) variable(name string) {
	if wrong := invalidVariable(name); wrong != "" {
		f.fail(0, "%s", wrong)
	}
	if !f.used[name] {
		f.used[name] = true
		f.names = append(f.names, name)
	}
	f.body.WriteString("{{." + name + "}}")
}

// expand adds text in which pattern matches placeholders. For each of them, write returns
// a function that adds it, or nil if it is literal text. Groups are its submatches.
func (f *foreign) expand(text string, pattern *regexp.Regexp, write func(groups []string) func()) {
	end := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		if add := write(groups); add != nil {
			f.literal(text[end:at[0]])
			add()
			end = at[1]
		}
	}
	f.literal(text[end:])
}

// own returns the template in hobnob's own format.
func (f *foreign) own() string {
	front := yaml.Node{Kind: yaml.MappingNode}
	add := func(to *yaml.Node, key string, value *yaml.Node) {
		to.Content = append(to.Content, text(key), value)
	}
	if f.description != "" {
		add(&front, "description", text(f.description))
	}
	variables := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range f.names {
		value, hasDefault := f.defaults[name]
		switch explanation := f.explanations[name]; {
		case explanation != "":
			fields := &yaml.Node{Kind: yaml.MappingNode}
			add(fields, "description", text(explanation))
			add(variables, name, fields)
		case hasDefault:
			add(variables, name, text(value))
		}
	}
	if len(variables.Content) > 0 {
		add(&front, "variables", variables)
	}
	matter := ""
	if len(front.Content) > 0 {
		out, _ := yaml.Marshal(&front) // a tree of strings: it cannot fail
		matter = string(out)
	}
	return "---\n" + matter + "---\n" + strings.TrimRight(f.body.String(), "\n") + "\n"
}

// text returns a YAML text, quoted where it would be read as something else.
func text(value string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(value)
	var back any
	if yaml.Unmarshal([]byte(value), &back) != nil || back != any(value) {
		node.Style |= yaml.DoubleQuotedStyle
	}
	return node
}

// describe sets the description from the first line of text that is not a heading or a comment.
func (f *foreign) describe(text string) {
	const most = 120 // characters
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") {
			continue
		}
		if runes := []rune(line); len(runes) > most {
			line = string(runes[:most]) + "…"
		}
		f.description = line
		return
	}
}

// ignore records settings of the other tool that have no effect.
func (f *foreign) ignore(keys ...*yaml.Node) {
	for _, key := range keys {
		f.Ignored = append(f.Ignored, key.Value)
	}
	slices.Sort(f.Ignored)
}
