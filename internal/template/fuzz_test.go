package template_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/hobnob-cli/hobnob/internal/template"
)

// Every template is either refused with an *Error, or its result is bounded and
// contains every byte of the input.
func FuzzRender(f *testing.F) {
	for _, text := range []string{
		"a", "---\ndescription: x\nvariables:\n  a: {description: y, default: z}\n  b:\n---\n{{.a}} {{.b}} {{.Input}}",
		"{{if eq .a \"b\"}}{{.Input | default \"c\"}}{{else}}{{.Files}}{{end}}", "{{- or .a .Input (and .Files .b) | trim -}}",
		"{{range 9999999999}}{{range 9999999999}}{{end}}{{end}}", "{{define \"a\"}}{{template \"a\"}}{{end}}", "\ufeff---\r\n---\r\n{{`{{`}}",
		"{{if not .Input}}{{else if .Files}}{{/* c */}}{{end}}", "---\na: &a [*a]\n---\n", "{{$x := .Input}}{{$x}}", "{{printf \"%9999999d\" 1}}",
	} {
		f.Add([]byte(text), "words", "files", "stdin", "value")
		f.Add([]byte(text), "{{.Input}}", "", "\x00\xff", "")
	}
	f.Fuzz(func(t *testing.T, text []byte, words, files, stdin, value string) {
		found, err := template.Parse(template.Source{Name: "n", Text: text})
		if err != nil {
			var bad *template.Error
			if !errors.As(err, &bad) || bad.What == "" || bad.Line > 1+strings.Count(string(text), "\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		values := map[string]string{}
		for _, v := range found.Variables {
			values[v.Name] = value
		}
		const limit = 1 << 16
		got, err := found.Render(template.Given{Words: words, Files: files, Stdin: stdin}, values, limit)
		if err != nil {
			return
		}
		if len(got) > limit {
			t.Fatalf("%q became %d bytes", text, len(got))
		}
		for _, part := range []string{words, files, stdin} {
			if !strings.Contains(got, part) {
				t.Fatalf("%q lost %q: %q", text, part, got)
			}
		}
	})
}

// placeholders are the only parts of a foreign text that are replaced, by format.
var placeholders = map[template.Format]*regexp.Regexp{
	template.Fabric: regexp.MustCompile(`\{\{(input|[A-Za-z][A-Za-z0-9_]{0,63})\}\}`),
	template.LLM:    regexp.MustCompile(`\$(?:(\$)|([A-Za-z][A-Za-z0-9_]{0,63})|\{([A-Za-z][A-Za-z0-9_]{0,63})\})`),
	template.Prompt: regexp.MustCompile(`__INPUT__|\$ARGUMENTS\b|\$\{input:([A-Za-z][A-Za-z0-9_]{0,63})(?::[^{}\n]*)?\}`),
}

// A text of another tool is either refused with an *Error, or its result is the text with
// nothing but its placeholders replaced: no action of text/template in it is executed. Its
// conversion to hobnob's own format has the same result.
func FuzzForeignTextIsLiteral(f *testing.F) {
	for _, text := range []string{
		"a {{input}} b {{lang}} c", "{{.Input}} {{range .}} {{end}}{{template \"x\"}}", "{{{{input}}}} {{{input}}} { {", "{{`{{`}} {{\"a\"}}{{/* c */}}",
		"$input $$5 ${lang} $", "__INPUT__ ${input:a:b} $ARGUMENTS", "---\nvariables: {a: b}\n---\n{{.a}}", "{{- input -}}\n---\n", "{", "{$lang}{{", "{{define \"t\"}}x",
		"{{input}}{", "{__INPUT__{", "\u2028{{\u0085}}", "{{files}}", "$Files",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r", "")
		llm, err := yaml.Marshal(map[string]string{"prompt": text + ".", "model": "m"})
		if err != nil {
			return
		}
		for format, source := range map[template.Format]string{template.Fabric: text, template.LLM: string(llm), template.Prompt: "---\nmodel: m\n---\n" + text} {
			body := strings.TrimPrefix(text, "\ufeff")
			if format == template.LLM {
				body = text + "."
			}
			checkLiteral(t, template.Source{Name: "n", Format: format, Text: []byte(source)}, strings.TrimSpace(body))
		}
	})
}

func checkLiteral(t *testing.T, source template.Source, body string) {
	t.Helper()
	found, err := template.Parse(source)
	if err != nil {
		var bad *template.Error
		if !errors.As(err, &bad) || bad.What == "" || !bad.Foreign {
			t.Fatalf("%q: %v", source.Text, err)
		}
		return
	}
	values := map[string]string{}
	for _, v := range found.Variables {
		values[v.Name] = "{{.Files}}"
	}
	input := false
	want := placeholders[source.Format].ReplaceAllStringFunc(body, func(match string) string {
		switch name := strings.Trim(match, "${}"); {
		case match == "$$":
			return "$"
		case strings.HasPrefix(name, "input:"):
		case name == "input" && source.Format != template.Prompt, name == "__INPUT__", name == "ARGUMENTS" && source.Format == template.Prompt:
			input = true
			return "{{.Input}}"
		}
		return "{{.Files}}"
	})
	if !input {
		want = strings.TrimSpace(want) + "\n\n{{.Input}}"
	}
	const limit = 1 << 24
	got, err := found.Render(template.Given{Words: "{{.Input}}"}, values, limit)
	if err != nil || strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Fatalf("%s: %q became\n%q, %v, want\n%q", source.Format, source.Text, got, err, want)
	}
	own, err := template.Convert(source)
	if err != nil {
		t.Fatal(err)
	}
	converted, err := template.Parse(template.Source{Name: "n", Text: own})
	if err != nil {
		if len(own) > 256<<10 {
			return
		}
		t.Fatalf("%q became %q: %v", source.Text, own, err)
	}
	if again, err := converted.Render(template.Given{Words: "{{.Input}}"}, values, limit); err != nil || again != got {
		t.Fatalf("the copy of %q became %q, %v, want %q", source.Text, again, err, got)
	}
}

// Hostile YAML of llm, and hostile front matter, is refused with an *Error or is a
// template.
func FuzzForeignYAML(f *testing.F) {
	for _, text := range []string{
		"prompt: a\nsystem: b $c\ndefaults: {c: 1, d: [2]}", "just a text", "[1, 2]", "a: &a [*a]", "prompt: &p x\nsystem: *p", "tools: [x]\nprompt: y", "prompt: {a: b}", "? [a]\n: b",
		"---\nmodel: m\n---\nx __INPUT__", "---\nmodel: &a [*a]\ndescription: *a\n---\nx", "---\ntools: {a: b}", "!!binary: x", "defaults: {input: x}\nprompt: $input",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, format := range []template.Format{template.Fabric, template.LLM, template.Prompt} {
			found, err := template.Parse(template.Source{Name: "n", Format: format, Text: text})
			var bad *template.Error
			if err != nil && (!errors.As(err, &bad) || bad.What == "" || bad.Line > 2+strings.Count(string(text), "\n")) {
				t.Fatalf("%s: %q: %v", format, text, err)
			}
			if err == nil {
				if _, err := found.Render(template.Given{Words: "w"}, nil, 1<<24); err != nil {
					t.Fatalf("%s: %q: %v", format, text, err)
				}
			}
		}
	})
}
