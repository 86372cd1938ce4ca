package template

import (
	"regexp"
	"strings"
)

// fabricPlaceholder matches the placeholders of fabric: {{input}}, {{name}},
// {{plugin:…}} and {{ext:…}}.
var fabricPlaceholder = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// fabric converts a pattern of fabric. Its text is the beginning of the question, as fabric
// itself sends it to a model without roles. Input without a placeholder follows.
func (f *foreign) fabric() {
	f.describe(f.raw)
	f.expand(strings.TrimSpace(f.raw), fabricPlaceholder, func(groups []string) func() {
		name := groups[1]
		switch {
		case name == "input":
			return f.input
		case strings.HasPrefix(name, "plugin:"), strings.HasPrefix(name, "ext:"):
			f.fail(0, "%s is not supported: a template cannot run a program or read files", groups[0])
		case variableName.MatchString(name):
			return func() { f.variable(name) }
		}
		return nil
	})
	if !f.used[inputName] {
		f.body.WriteString("\n\n")
		f.input()
	}
}
