package template

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The names of what the user asks, which a template has besides its variables.
const (
	inputName = "Input"
	filesName = "Files"
)

var variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// readFront reads the description and the variables.
func (p *parser) readFront() {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(p.front), &document); err != nil {
		p.failYAML(err)
	}
	if document.Kind == 0 { // broken, or comments at most
		return
	}
	for _, entry := range p.entries(document.Content[0], "the front matter") {
		switch key, value := entry[0], entry[1]; key.Value {
		case "description":
			p.Description = p.scalar(value, key.Value)
		case "variables":
			for _, entry := range p.entries(value, key.Value) {
				p.Variables = append(p.Variables, p.variable(entry[0], entry[1]))
			}
		default:
			p.fail(key.Line, "the front matter has no %q; it may have description and variables", key.Value)
		}
	}
}

// variable reads a name with a default, with a description and a default, or with
// nothing.
func (p *parser) variable(name, value *yaml.Node) Variable {
	if what := checkVariable(name.Value); what != "" {
		p.fail(name.Line, "%s", what)
	}
	v := Variable{Name: name.Value, line: name.Line}
	if value.Kind == yaml.ScalarNode && value.Tag != null {
		v.Default = &value.Value
		return v
	}
	for _, entry := range p.entries(value, "the variable "+v.Name) {
		key := entry[0]
		text := p.scalar(entry[1], key.Value)
		switch key.Value {
		case "description":
			v.Description = text
		case "default":
			v.Default = &text
		default:
			p.fail(key.Line, "a variable has no %q; it may have description and default", key.Value)
		}
	}
	return v
}

// checkVariable returns what is wrong with the name of a variable, or "".
func checkVariable(name string) string {
	switch {
	case strings.EqualFold(name, inputName), strings.EqualFold(name, filesName):
		return fmt.Sprintf("a variable cannot be called %q: {{.Input}} and {{.Files}} are what the user asks", name)
	case !variableName.MatchString(name):
		return fmt.Sprintf("a variable cannot be called %q: use a letter, then letters, digits and _", name)
	}
	return ""
}

// null is the tag of an entry without a value.
const null = "!!null"

// entries returns the pairs of key and value of a mapping; null has none.
func (p *parser) entries(node *yaml.Node, name string) [][]*yaml.Node {
	if node.Kind != yaml.MappingNode {
		if node.Tag != null {
			p.fail(node.Line, "%s is not a mapping of names to values", name)
		}
		return nil
	}
	entries, seen := slices.Collect(slices.Chunk(node.Content, 2)), map[string]bool{}
	for _, entry := range entries {
		key := p.scalar(entry[0], "a key")
		if seen[key] {
			p.fail(entry[0].Line, "%q is there twice", key)
		}
		seen[key] = true
	}
	return entries
}

// scalar returns the text of a node; null is empty.
func (p *parser) scalar(node *yaml.Node, name string) string {
	if node.Kind != yaml.ScalarNode {
		p.fail(node.Line, "%s is not a text", name)
	}
	if node.Tag == null {
		return ""
	}
	return node.Value
}

// failYAML reports an error of yaml, which says its line only in its text:
// "yaml: line 3: cause".
func (p *parser) failYAML(err error) {
	line, cause := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(cause, "line %d:", &line); n > 0 {
		_, cause, _ = strings.Cut(cause, ": ")
		if strings.HasPrefix(cause, "did not find ") || strings.HasPrefix(cause, "found a tab ") {
			line++ // yaml counts the lines of these from 0
		}
	}
	p.fail(line, "the front matter is not YAML: %s", cause)
}
