package template_test

import (
	"errors"
	"strings"
	"testing"

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
