package template

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// llmPlaceholder matches the placeholders of llm, which are those of Python's
// string.Template: $$, $name and ${name}.
var llmPlaceholder = regexp.MustCompile(`\$(?:(\$)|([_A-Za-z][_A-Za-z0-9]*)|\{([_A-Za-z][_A-Za-z0-9]*)\})`)

// llm converts a template of llm. Its system prompt becomes the beginning of the question.
func (f *foreign) llm() {
	root := f.parseYAML(f.raw, "")
	if root == nil {
		f.fail(0, "the template has no text")
		return
	}
	var system, prompt string
	if root.Kind == yaml.ScalarNode {
		prompt = root.Value
	} else {
		keys, values := f.mapping(root, "the template", "")
		for _, key := range keys {
			f.llmKey(key, values[key.Value])
		}
		system, prompt = f.scalar(values["system"], "system"), f.scalar(values["prompt"], "prompt")
	}
	// Escapes of YAML are decoded only now.
	newlines := strings.NewReplacer("\r\n", "\n")
	system, prompt = strings.TrimSpace(newlines.Replace(system)), newlines.Replace(prompt)
	if strings.Contains(system+prompt, "\x00") {
		f.fail(0, "not UTF-8 text")
		return
	}
	if system == "" && prompt == "" {
		f.fail(0, "the template has neither system nor prompt")
		return
	}
	f.describe(system + "\n" + prompt)
	f.expand(system, llmPlaceholder, f.llmPlaceholder)
	if system != "" {
		f.literal("\n\n")
	}
	if f.expand(prompt, llmPlaceholder, f.llmPlaceholder); prompt == "" && !f.used[inputName] {
		f.input()
	}
}

// llmKey reads a key that is not a text of the template.
func (f *foreign) llmKey(key, value *yaml.Node) {
	switch key.Value {
	case "system", "prompt", "name":
	case "defaults":
		names, values := f.mapping(value, "defaults", "")
		for _, name := range names {
			f.defaults[name.Value] = f.scalar(values[name.Value], "the default of "+name.Value)
		}
	case "model", "options", "extract", "extract_last":
		f.ignore(key)
	default:
		given := value.Tag != null && (value.Kind == yaml.ScalarNode || len(value.Content) > 0)
		if known := []string{"attachments", "attachment_types", "fragments", "functions", "schema_object", "system_fragments", "tools"}; !slices.Contains(known, key.Value) {
			f.fail(key.Line, "unknown key %q in a template of llm", key.Value)
		} else if given {
			f.fail(key.Line, "%q is not supported: a template is only text", key.Value)
		}
	}
}

// llmPlaceholder returns what adds a placeholder.
func (f *foreign) llmPlaceholder(groups []string) func() {
	switch name := groups[2] + groups[3]; {
	case groups[1] != "":
		return func() { f.literal("$") }
	case name == "input":
		return f.input
	default:
		return func() { f.variable(name) }
	}
}
