package template

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// promptKeys are keys that other tools have in the front matter of a prompt, and hobnob has
// not.
var promptKeys = []string{"agent", "allowed-tools", "argument-hint", "mode", "model", "name", "temperature", "tools", "top_p", "use_tools"}

// isPrompt reports whether a Markdown file is a prompt of another tool: its front matter
// has one of promptKeys and no variables.
func isPrompt(text []byte) bool {
	front := fences.FindSubmatch(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	if front == nil {
		return false
	}
	var document struct {
		Keys map[string]yaml.Node `yaml:",inline"`
	}
	if yaml.Unmarshal(front[1], &document) != nil {
		return false
	}
	_, own := document.Keys["variables"]
	return !own && slices.ContainsFunc(promptKeys, func(key string) bool { _, ok := document.Keys[key]; return ok })
}

// promptPlaceholder matches the placeholders of other tools: __INPUT__ of aichat,
// $ARGUMENTS of coding agents, and ${input:name:explanation} of editors.
var promptPlaceholder = regexp.MustCompile(`__INPUT__|\$ARGUMENTS\b|\$\{input:([A-Za-z][A-Za-z0-9_]*)(?::([^{}\n]*))?\}`)

// prompt converts a prompt of another tool, a Markdown file with front matter.
func (f *foreign) prompt() {
	if f.split(); f.err != nil {
		return
	}
	body := strings.TrimSpace(f.text)
	f.describe(body)
	if front := f.parseYAML(f.front, " in the front matter"); front != nil {
		keys, values := f.mapping(front, "the front matter", "")
		if description := values["description"]; description != nil {
			f.description = f.scalar(description, "description")
		}
		f.ignore(slices.DeleteFunc(keys, func(key *yaml.Node) bool { return key.Value == "description" || key.Value == "name" })...)
	}
	if body == "" {
		f.fail(0, "the template has no text")
	}
	f.expand(body, promptPlaceholder, func(groups []string) func() {
		name := groups[1]
		if name == "" {
			return f.input
		}
		if groups[2] != "" {
			f.explanations[name] = groups[2]
		}
		return func() { f.variable(name) }
	})
}
