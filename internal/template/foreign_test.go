package template_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/template"
)

func TestForeignTemplates(t *testing.T) {
	values := map[string]string{"lang": "Welsh", "voice": "calm"}
	for _, c := range []struct {
		name   string
		format template.Format
		text   string
		want   string // with the input "words"; an error if it begins with "error: "
	}{
		{"fabric without a placeholder", template.Fabric, "# IDENTITY\n\nYou are x.\n", "# IDENTITY\n\nYou are x.\n\nwords"},
		{"fabric with placeholders", template.Fabric, "To {{lang}}:\n{{input}}\nEnd", "To Welsh:\nwords\nEnd"},
		{"fabric and literal braces", template.Fabric, "{{ lang }} {{{lang}}} {{.Input}} {{a.b}} {{if x}} {{", "{{ lang }} {Welsh} {{.Input}} {{a.b}} {{if x}} {{\n\nwords"},
		{"a plugin of fabric", template.Fabric, "x {{plugin:file:read:/etc/passwd}}", "error: {{plugin:file:read:/etc/passwd}} is not supported: a template cannot run a program or read files"},
		{"an extension of fabric", template.Fabric, "{{ext:word:run}}", "error: {{ext:word:run}} is not supported"},
		{"a reserved name", template.Fabric, "{{files}}", "error: invalid variable name \"files\""},
		{"fabric with dashes", template.Fabric, "---\nvariables: {a: b}\n---\n{{.a}}", "---\nvariables: {a: b}\n---\n{{.a}}\n\nwords"},
		{"llm with a prompt", template.LLM, "prompt: 'Sum up: $input'", "Sum up: words"},
		{"llm with a plain text", template.LLM, "Sum up in ${lang}", "Sum up in Welsh\n\nwords"},
		{"llm with a system prompt", template.LLM, "system: |\n  Be $voice.\n", "Be calm.\n\nwords"},
		{"llm with both", template.LLM, "system: Be $voice\nprompt: 'Cost in $$5 of $input, {{.Input}}'", "Be calm\n\nCost in $5 of words, {{.Input}}"},
		{"llm with a default", template.LLM, "prompt: $tone $input\ndefaults: {tone: kind, unused: 1}", "kind words"},
		{"llm with other settings", template.LLM, "name: x\nmodel: m\noptions: {temperature: 1}\nextract: true\nprompt: $input", "words"},
		{"llm with an empty list of tools", template.LLM, "tools: []\nprompt: $input", "words"},
		{"llm with tools", template.LLM, "prompt: x\ntools:\n- llm_time", "error: :2: \"tools\" is not supported: a template is only text"},
		{"llm with functions", template.LLM, "functions: |\n  def x(): pass\nprompt: x", "error: :1: \"functions\" is not supported"},
		{"llm with fragments", template.LLM, "fragments: [/etc/passwd]\nprompt: x", "error: :1: \"fragments\" is not supported"},
		{"llm with an unknown key", template.LLM, "promt: x", "error: :1: unknown key \"promt\" in a template of llm"},
		{"llm without a text", template.LLM, "model: x", "error: : the template has neither system nor prompt"},
		{"llm with a list", template.LLM, "- x", "error: :1: the template is not a mapping of names to values"},
		{"llm with a variable that begins with _", template.LLM, "prompt: $_x", "error: : invalid variable name \"_x\""},
		{"llm with invalid YAML", template.LLM, "prompt: 'x", "error: :1: invalid YAML: found unexpected end of stream"},
		{"a NUL", template.LLM, `prompt: "a\0"`, "error: : not UTF-8 text"},
		{"a role of aichat", template.Prompt, "---\nmodel: m\ntemperature: 0\n---\nconvert __INPUT__ to emoji", "convert words to emoji"},
		{"a command with arguments", template.Prompt, "---\nargument-hint: issue\n---\nFix $ARGUMENTS, $1, {{.Input}}", "Fix words, $1, {{.Input}}"},
		{"a prompt file", template.Prompt, "---\nmode: agent\n---\nIn ${input:lang:the language} and ${selection}", "In Welsh and ${selection}\n\nwords"},
	} {
		found, err := template.Parse(template.Source{Name: "n", Format: c.format, Text: []byte(c.text)})
		if want, ok := strings.CutPrefix(c.want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error is %v, want %s", c.name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := found.Render(template.Given{Words: "words"}, values, 1<<20); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

func TestForeignTemplatesHaveDescriptionsAndVariables(t *testing.T) {
	fabric, err := template.Parse(template.Source{Format: template.Fabric, Text: []byte("# IDENTITY\n\nYou translate into {{lang}}.\n\nINPUT:\n")})
	if err != nil || fabric.Description != "You translate into {{lang}}." || !fabric.Needs || len(fabric.Variables) != 1 {
		t.Errorf("%+v, %v", fabric, err)
	}
	llm, err := template.Parse(template.Source{Format: template.LLM, Text: []byte("model: m\nextract: true\nprompt: $tone\ndefaults: {tone: '${lang}: yes'}")})
	if err != nil || llm.Needs || len(llm.Variables) != 1 || *llm.Variables[0].Default != "${lang}: yes" || !slices.Equal(llm.Ignored, []string{"extract", "model"}) {
		t.Errorf("%+v, %v", llm, err)
	}
	prompt, err := template.Parse(template.Source{Format: template.Prompt, Text: []byte("---\ndescription: 'a: b'\nmode: ask\nname: x\n---\n${input:file:which file} ${input:file}")})
	if err != nil || prompt.Description != "a: b" || len(prompt.Variables) != 1 || prompt.Variables[0].Description != "which file" || !slices.Equal(prompt.Ignored, []string{"mode"}) {
		t.Errorf("%+v, %v", prompt, err)
	}
	var many strings.Builder
	for i := range 300 {
		many.WriteString("{{a" + strings.Repeat("b", i%60) + string(rune('a'+i/60)) + "}}")
	}
	if _, err := template.Parse(template.Source{Format: template.Fabric, Text: []byte(many.String())}); err == nil || !strings.Contains(err.Error(), "more than 200 variables") {
		t.Errorf("300 variables: %v", err)
	}
}

// A directory has the formats of all tools. The first file for a name is used.
func TestFormatsInSharedDirectory(t *testing.T) {
	l, dir := library(t), t.TempDir()
	l.Shared = []string{dir}
	for path, text := range map[string]string{
		"own.md": "{{.Input}}", "own.yaml": "prompt: y", "role.md": "---\nmodel: m\n---\nx", "tuned.md": "---\nmodel: m\nvariables: {a: b}\n---\n{{.a}}",
		"file.prompt.md": "x", "llm.yaml": "prompt: y", "fab/system.md": "s", "fab/user.md": "u", "compose.yml": "services: {}", "fab/README.md": "r", "README.md": "r",
		"empty/notes.md": "n", "Bad/system.md": "x", ".git/system.md": "x", "bad name.yaml": "x",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(path)), text)
	}
	group := l.Groups()[1]
	if want := []string{"fab", "file", "llm", "own", "role", "tuned"}; !slices.Equal(group.Names, want) {
		t.Errorf("there are %q, want %q", group.Names, want)
	}
	slices.Sort(group.Ignored)
	if want := []string{filepath.Join(dir, "Bad"), filepath.Join(dir, "bad name.yaml")}; !slices.Equal(group.Ignored, want) {
		t.Errorf("ignored are %q, want %q", group.Ignored, want)
	}
	for name, want := range map[string]struct {
		format template.Format
		text   string
	}{
		"own": {template.Own, "{{.Input}}"}, "role": {template.Prompt, "---\nmodel: m\n---\nx"}, "tuned": {template.Own, "---\nmodel: m\nvariables: {a: b}\n---\n{{.a}}"},
		"file": {template.Prompt, "x"}, "llm": {template.LLM, "prompt: y"}, "fab": {template.Fabric, "s"},
	} {
		if got, err := l.Source(name); err != nil || got.Format != want.format || string(got.Text) != want.text {
			t.Errorf("%s is %+v, %v", name, got, err)
		}
	}
	// The user's own directory has only hobnob's format.
	write(t, filepath.Join(l.Dir, "mine.yaml"), "prompt: y")
	if _, err := l.Source("mine"); err == nil {
		t.Error("a YAML file of the user's own is a template")
	}
}
