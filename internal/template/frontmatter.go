package template

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const fence = "---"

// The names that a template gives to what the user asks, beside its variables.
const (
	inputName = "Input"
	filesName = "Files"
)

var (
	variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
	yamlLine     = regexp.MustCompile(`^yaml: (?:unmarshal errors:\s*)?line (\d+): `)
)

// split parts the front matter, without its fences, from the body; skipped counts
// the lines before the body.
func split(text string) (front, body string, skipped int, err *Error) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != fence {
		return "", text, 0, nil
	}
	var b strings.Builder
	skipped = 1
	for line := range strings.Lines(rest) {
		skipped++
		rest = rest[len(line):]
		if strings.TrimRight(line, " \t\n") == fence {
			return b.String(), rest, skipped, nil
		}
		b.WriteString(line)
	}
	return "", "", 0, &Error{Line: 1, What: "the front matter that begins here does not end: a line " + fence + " is missing"}
}

// readFront reads the description and the variables.
func (t *Template) readFront(front string) *Error {
	var document yaml.Node
	// The empty line stands for the fence, so that lines count from the file's first.
	if err := yaml.Unmarshal([]byte("\n"+front), &document); err != nil {
		return yamlError(err)
	}
	if document.Kind == 0 || isNull(document.Content[0]) {
		return nil
	}
	entries, err := mapping(document.Content[0], "the front matter")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.key {
		case "description":
			t.Description, err = scalar(e.value, e.key)
		case "variables":
			err = t.readVariables(e.value)
		default:
			err = &Error{Line: e.line, What: fmt.Sprintf("the front matter has no %q; it may have description and variables", e.key)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readVariables reads a mapping of names to a default, or to a description and a
// default, or to nothing.
func (t *Template) readVariables(node *yaml.Node) *Error {
	if isNull(node) {
		return nil
	}
	entries, err := mapping(node, "variables")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if what := checkVariable(e.key); what != "" {
			return &Error{Line: e.line, What: what}
		}
		v := Variable{Name: e.key, line: e.line}
		switch {
		case isNull(e.value):
		case e.value.Kind == yaml.ScalarNode:
			v.Default = &e.value.Value
		default:
			if err := v.read(e.value); err != nil {
				return err
			}
		}
		t.Variables = append(t.Variables, v)
	}
	return nil
}

func (v *Variable) read(node *yaml.Node) *Error {
	entries, err := mapping(node, "the variable "+v.Name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := scalar(e.value, e.key)
		if err != nil {
			return err
		}
		switch e.key {
		case "description":
			v.Description = text
		case "default":
			v.Default = &text
		default:
			return &Error{Line: e.line, What: fmt.Sprintf("a variable has no %q; it may have description and default", e.key)}
		}
	}
	return nil
}

// checkVariable says what is wrong with the name of a variable.
func checkVariable(name string) string {
	switch {
	case strings.EqualFold(name, inputName), strings.EqualFold(name, filesName):
		return fmt.Sprintf("a variable cannot be called %q: {{.Input}} and {{.Files}} are what the user asks", name)
	case !variableName.MatchString(name):
		return fmt.Sprintf("a variable cannot be called %q: use a letter, then letters, digits and _", name)
	}
	return ""
}

// entry is one line of a mapping.
type entry struct {
	key   string
	line  int
	value *yaml.Node
}

// mapping returns the entries of a node that must be a mapping of texts.
func mapping(node *yaml.Node, name string) ([]entry, *Error) {
	if node.Kind != yaml.MappingNode {
		return nil, &Error{Line: node.Line, What: name + " is not a mapping of names to values"}
	}
	var entries []entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		text, err := scalar(key, "a key")
		if err != nil {
			return nil, err
		}
		if seen[text] {
			return nil, &Error{Line: key.Line, What: fmt.Sprintf("%q is there twice", text)}
		}
		seen[text] = true
		entries = append(entries, entry{key: text, line: key.Line, value: node.Content[i+1]})
	}
	return entries, nil
}

// scalar returns the text of a node; nothing and null are empty.
func scalar(node *yaml.Node, name string) (string, *Error) {
	switch {
	case isNull(node):
		return "", nil
	case node.Kind == yaml.ScalarNode:
		return node.Value, nil
	}
	return "", &Error{Line: node.Line, What: name + " is not a text"}
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag == "!!null" }

// yamlError gives an error of the parser its line.
func yamlError(err error) *Error {
	text := err.Error()
	out := &Error{Line: 1, What: "the front matter is not YAML: " + strings.TrimPrefix(text, "yaml: ")}
	if at := yamlLine.FindStringSubmatch(text); at != nil {
		text = text[len(at[0]):]
		out.Line, _ = strconv.Atoi(at[1])
		if strings.HasPrefix(text, "did not find ") || strings.HasPrefix(text, "found a tab ") {
			out.Line++ // yaml counts the lines of these from 0
		}
		out.What = "the front matter is not YAML: " + text
	}
	return out
}
