package view

import (
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// TemplateInfo describes a template. Its JSON form is stable.
type TemplateInfo struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Variables   []variableJSON `json:"variables"`
	Where       string         `json:"where"` // built-in or file
	Path        *string        `json:"path"`
	Source      *string        `json:"source,omitempty"`
	Error       string         `json:"error,omitempty"` // why it cannot be used
}

type variableJSON struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Default     *string `json:"default"`
}

// Describe describes a template, which may be broken. Err is the error of reading its
// text, or nil.
func Describe(source template.Source, err error) TemplateInfo {
	info := TemplateInfo{Name: source.Name, Variables: []variableJSON{}, Where: "file", Path: cli.OrNull(source.Path)}
	if source.Path == "" {
		info.Where = "built-in"
	}
	var t *template.Template
	if err == nil {
		t, err = template.Parse(source)
	}
	if err != nil {
		info.Error = err.Error()
		return info
	}
	info.Description = t.Description
	for _, v := range t.Variables {
		info.Variables = append(info.Variables, variableJSON{v.Name, v.Description, v.Default})
	}
	return info
}

// Templates prints a list of templates.
func Templates(p *cli.Printer, templates []TemplateInfo) error {
	if p.WantsJSON() {
		return p.JSON(append([]TemplateInfo{}, templates...))
	}
	rows := make([][]string, len(templates))
	for i, t := range templates {
		var variables []string
		for _, v := range t.Variables {
			variables = append(variables, v.Name)
		}
		if t.warn(p); t.Error != "" {
			t.Description = "(broken)"
		}
		rows[i] = []string{t.Name, t.Description, strings.Join(variables, ", "), t.Where}
	}
	return p.Table([]terminal.Column{{Title: "NAME"}, {Title: "DESCRIPTION", Flexible: true}, {Title: "VARIABLES"}, {Title: "WHERE"}}, rows)
}

// Template prints the source of a template.
func Template(p *cli.Printer, source template.Source) error {
	text, t := string(source.Text), Describe(source, nil)
	if p.WantsJSON() {
		t.Source = &text
		return p.JSON(t)
	}
	t.warn(p)
	if p.IO.OutTTY {
		return p.Page(strings.TrimRight(terminal.Clean(text), "\n") + "\n")
	}
	return p.Text(text)
}

func (t TemplateInfo) warn(p *cli.Printer) {
	if t.Error != "" {
		p.Warn("the template %q cannot be used: %s", t.Name, t.Error)
	}
}
