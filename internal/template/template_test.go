package template_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/template"
)

const limit = 10 << 20

func parse(t *testing.T, text string) *template.Template {
	t.Helper()
	found, err := template.Parse(template.Source{Name: "name", Path: "name.md", Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFrontMatter(t *testing.T) {
	found := parse(t, "\ufeff---\r\n# a comment\r\ndescription: \"say: it\"\r\nvariables:\r\n  b: 3\r\n  a:\r\n    description: the first\r\n  c:\r\n  d: {default: \"\"}\r\n---\r\n\r\n{{.e}} {{.a}}{{.b}}{{.c}}{{.d}}\r\n")
	if found.Description != "say: it" {
		t.Errorf("the description is %q", found.Description)
	}
	var shown []string
	for _, v := range found.Variables {
		text := v.Name + "(" + v.Description + ")"
		if v.Default != nil {
			text += "=" + *v.Default
		}
		shown = append(shown, text)
	}
	if want := []string{"b()=3", "a(the first)", "c()", "d()=", "e()"}; !slices.Equal(shown, want) {
		t.Errorf("the variables are %q, want %q", shown, want)
	}
	var missing []string
	for _, v := range found.Missing(map[string]string{"c": ""}) {
		missing = append(missing, v.Name)
	}
	if want := []string{"a", "e"}; !slices.Equal(missing, want) {
		t.Errorf("missing are %q, want %q", missing, want)
	}
}

func TestUnusedInputIsAppended(t *testing.T) {
	given := template.Given{Words: "WORDS", Files: "FILES", Stdin: "STDIN"}
	values := map[string]string{"a": "{{.Input}} {{range}} $(a)", "blank": " "}
	for name, c := range map[string]struct {
		text  string
		given template.Given
		want  string
	}{
		"alone":                     {"Write a joke.\n", template.Given{}, "Write a joke."},
		"nothing is mentioned":      {"Do it.", given, "Do it.\n\nWORDS\n\nFILES\n\nSTDIN"},
		"input is mentioned":        {"Do {{.Input}} now.", given, "Do WORDS\n\nSTDIN now.\n\nFILES"},
		"files are mentioned":       {"Do {{.Files}} now.", given, "Do FILES now.\n\nWORDS\n\nSTDIN"},
		"all is mentioned":          {"{{.Files}}\n\n{{.Input}}\n", given, "FILES\n\nWORDS\n\nSTDIN"},
		"in a branch not taken":     {"{{if eq .blank \"x\"}}{{.Input}}{{end}}Do it.", given, "Do it.\n\nWORDS\n\nFILES\n\nSTDIN"},
		"only asked for":            {"{{if .Input}}Do it.{{else}}Wait.{{end}}", given, "Do it.\n\nWORDS\n\nFILES\n\nSTDIN"},
		"asked for and not given":   {"{{if .Input}}Do it.{{else}}Wait.{{end}}", template.Given{Files: "F"}, "Wait.\n\nF"},
		"twice":                     {"{{.Input}}{{.Input}}", template.Given{Words: "a"}, "aa"},
		"text that is in the words": {"WORDS STDIN FILES", given, "WORDS STDIN FILES\n\nWORDS\n\nFILES\n\nSTDIN"},
		"a value is no template":    {"{{.a}}", template.Given{Words: "{{.a}}"}, "{{.Input}} {{range}} $(a)\n\n{{.a}}"},
		"default":                   {"{{.Input | default \"nothing\"}}, {{default \"no\" .a}}", template.Given{}, "nothing, {{.Input}} {{range}} $(a)"},
		"or and and":                {"{{or .Input .Files \"none\"}} {{and .Input .Files}}", template.Given{Files: "F"}, "F"},
		"trim":                      {"<{{trim .blank}}{{trim .Input}}>", template.Given{Words: " w "}, "< w >"},
		"ends are trimmed":          {" \n {{.Input}}\n\n", template.Given{Words: " w "}, " w "},
		"blanks are cut away":       {"a {{- .Input -}} b", template.Given{Words: "-"}, "a-b"},
		"text in quotes":            {"{{`{{`}} {{\"}}\"}}", template.Given{}, "{{ }}"},
		"otherwise":                 {"{{if eq .blank \"a\"}}1{{else if ne .blank \" \"}}2{{else if not .a}}3{{else}}4{{end}}", template.Given{}, "4"},
		"compared with nothing":     {"{{if eq .Input \"\"}}no{{else}}yes{{end}}", template.Given{Words: "w"}, "yes\n\nw"},
		"a comment":                 {"a{{/* .Input */}}b", template.Given{Words: "w"}, "ab\n\nw"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(t, c.text).Render(c.given, values, limit)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	for text, want := range map[string]bool{
		"a":                              false,
		"{{.a}}":                         false,
		"{{.Input}}":                     true,
		"{{.Files}}":                     true,
		"{{if .a}}{{.Input}}{{end}}":     true,
		"{{if .Input}}{{.Input}}{{end}}": false,
		"{{if or .Files .Input}}{{.Input}}{{end}}":  false,
		"{{if .Input}}a{{else}}{{.Files}}{{end}}":   false,
		"{{.Input | default \"a\"}}":                false,
		"{{or .Input .a}}":                          false,
		"{{.Input | default \"a\"}} and {{.Input}}": true,
	} {
		if got := parse(t, text).Needs; got != want {
			t.Errorf("%s needs something: %t, want %t", text, got, want)
		}
	}
}

func TestParseReportsErrorWithLine(t *testing.T) {
	const front = "---\ndescription: x\n---\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":                 {"", "name.md: the template has no text"},
		"no text":               {front + " \n", "name.md: the template has no text"},
		"no end":                {"---\ndescription: x\n", "name.md:1: unterminated front matter: closing --- line is missing"},
		"not YAML":              {"---\ndescription: x\n\tb: [\n---\nx", "name.md:3: invalid YAML in the front matter: found a tab character that violates indentation"},
		"a bracket left open":   {"---\ndescription: x\nvariables: {a\n---\nx", "name.md:3: invalid YAML in the front matter: did not find expected ',' or '}'"},
		"an unknown anchor":     {"---\ndescription: *x\n---\nx", "name.md:1: invalid YAML in the front matter: unknown anchor 'x' referenced"},
		"a list":                {"---\n- a\n---\nx", "name.md:2: the front matter is not a mapping of names to values"},
		"an unknown key":        {"---\ndescr: x\n---\nx", `name.md:2: the front matter has no "descr"; it may have description and variables`},
		"a key twice":           {"---\ndescription: x\ndescription: y\n---\nx", `name.md:3: duplicate key "description"`},
		"a long description":    {"---\ndescription: [x]\n---\nx", "name.md:2: description is not a text"},
		"listed variables":      {"---\nvariables: [a]\n---\n{{.a}}", "name.md:2: variables is not a mapping of names to values"},
		"an unknown property":   {"---\nvariables:\n  a: {fallback: x}\n---\n{{.a}}", `name.md:3: a variable has no "fallback"; it may have description and default`},
		"a default of many":     {"---\nvariables:\n  a:\n    default: [x]\n---\n{{.a}}", "name.md:4: default is not a text"},
		"an alias":              {"---\ndescription: &a x\nvariables: {a: *a}\n---\n{{.a}}", "name.md:3: the variable a is not a mapping of names to values"},
		"a bad name":            {"---\nvariables: {a-b: x}\n---\nx", `name.md:2: invalid variable name "a-b": use a letter, then letters, digits and _`},
		"a reserved name":       {"---\nvariables: {input: x}\n---\nx", `name.md:2: invalid variable name "input": {{.Input}} and {{.Files}} are reserved`},
		"unused":                {"---\nvariables:\n\n  focus: x\n---\n{{.focsu}}", `name.md:4: unused variable "focus": write {{.focus}} where its value belongs`},
		"a slip of the shift":   {"a\n{{.input}}", `name.md:2: invalid variable name "input": {{.Input}} and {{.Files}} are reserved`},
		"a letter of elsewhere": {"{{.naïve}}", `name.md:1: invalid variable name "naïve": use a letter, then letters, digits and _`},
		"left open":             {front + "\n{{.a", "name.md:5: unclosed action"},
		"left open for a line":  {"x\n{{.a\n", "name.md:3: unclosed action started in line 2"},
		"no end of if":          {front + "{{if .a}}x", "name.md:4: unexpected EOF"},
		"an unknown function":   {front + "x\n{{printf \"%1000000000d\" 1}}", `name.md:5: function "printf" not defined`},
		"a call":                {"{{call .a}}", `name.md:1: function "call" not defined`},
		"a loop":                {front + "\n\n{{range .a}}{{end}}", "name.md:6: {{range}} cannot be used in a template"},
		"a loop of numbers":     {"{{range 1000000000}}{{range 1000000000}}{{end}}{{end}}", "name.md:1: {{range}} cannot be used in a template"},
		"with":                  {"{{with .a}}{{.}}{{end}}", "name.md:1: {{with}} cannot be used in a template"},
		"an include":            {"{{template \"x\"}}", "name.md:1: {{template}} cannot be used in a template"},
		"a definition":          {"x{{define \"x\"}}{{template \"x\"}}{{end}}", "name.md: {{define}} cannot be used in a template"},
		"an assignment":         {"{{$x := .a}}{{$x}}", "name.md:1: cannot assign $x in a template: values come from --var and the front matter"},
		"the dot":               {"a\n\n{{.}}", "name.md:3: {{.}} cannot be used; write {{.name}} or a text in quotes"},
		"everything":            {"{{$.a}}", "name.md:1: {{$.a}} cannot be used; write {{.name}} or a text in quotes"},
		"a number":              {"{{trim 1}}", "name.md:1: {{1}} cannot be used; write {{.name}} or a text in quotes"},
		"a part":                {"{{.a.b}}", "name.md:1: {{.a.b}} cannot be used; a value has no parts"},
		"a part of the input":   {"{{(trim .Input).b}}", "name.md:1: {{(trim .Input).b}} cannot be used; write {{.name}} or a text in quotes"},
		"too few arguments":     {front + "{{eq .a}}", "name.md:4: {{eq}}: wrong number of args for eq: want 2 got 1"},
		"a comparison of input": {"{{if eq .Input \"x\"}}{{end}}x", `name.md:1: {{eq .Input "x"}}: error calling eq: {{.Input}} and {{.Files}} cannot be compared with a text`},
		"invalid UTF-8":         {"a\n\xff", "name.md:2: not UTF-8 text"},
		"UTF-16":                {"\xff\xfea\x00", "name.md:1: not UTF-8 text"},
		"NUL":                   {"a\x00", "name.md:1: not UTF-8 text"},
		"huge":                  {strings.Repeat("x", 256<<10+1), "name.md: larger than 256 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := template.Parse(template.Source{Name: "name", Path: "name.md", Text: []byte(c.text)})
			var bad *template.Error
			if !errors.As(err, &bad) || err.Error() != c.want {
				t.Errorf("the error is %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestResultIsBounded(t *testing.T) {
	const most = 1 << 20
	for name, c := range map[string]struct {
		text  string
		given template.Given
	}{
		"of a value":  {strings.Repeat("{{.a}}", 10_000), template.Given{}},
		"of input":    {strings.Repeat("{{.Input}}", 10_000), template.Given{Stdin: strings.Repeat("x", 1000)}},
		"of files":    {strings.Repeat("{{.Files}}", 3), template.Given{Files: strings.Repeat("x", most/2)}},
		"of the rest": {"x", template.Given{Words: strings.Repeat("x", most)}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(t, c.text).Render(c.given, map[string]string{"a": strings.Repeat("y", 1000)}, most)
			if err == nil || err.Error() != `the prompt from template "name" is larger than the limit of 1 MiB` {
				t.Errorf("the error is %v", err)
			}
		})
	}
	deep := strings.Repeat("{{if .a}}", 20_000) + "x" + strings.Repeat("{{end}}", 10_000)
	if _, err := template.Parse(template.Source{Text: []byte(deep[:250_000])}); err == nil {
		t.Error("blocks without an end are accepted")
	}
	nested := strings.Repeat("{{if .a}}", 15_000) + "x" + strings.Repeat("{{end}}", 15_000)
	if got, err := parse(t, nested).Render(template.Given{}, map[string]string{"a": "1"}, limit); err != nil || got != "x" {
		t.Errorf("15,000 blocks within each other gave %q, %v", got, err)
	}
}

func TestCheckRefusesUnknownVariables(t *testing.T) {
	found := parse(t, "{{.focus}} {{.tone}} {{.Input}}")
	if err := found.Check("tone", "focus"); err != nil {
		t.Error(err)
	}
	err := found.Check("focus", "Input")
	f := failure.Of(err)
	if err == nil || err.Error() != `unknown variable "Input" in template "name"` || f.Kind != failure.Usage || f.Hint.String() != "variables: focus, tone" {
		t.Errorf("the error is %v, %+v", err, f)
	}
}
