package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// TemplateInfo describes a template. Its JSON form is stable.
type TemplateInfo struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Variables   []variableJSON `json:"variables"`
	Where       string         `json:"where"` // built-in, file or shared
	Path        *string        `json:"path"`
	Directory   *string        `json:"directory"` // null if built-in
	Shadowed    bool           `json:"shadowed"`  // an earlier directory has the name
	Format      string         `json:"format"`    // hobnob, fabric, llm or prompt
	Source      *string        `json:"source,omitempty"`
	Error       string         `json:"error,omitempty"` // why it cannot be used

	ignored []string // settings of another tool
}

type variableJSON struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Default     *string `json:"default"`
}

// Describe describes a template of a library, which may be broken. Err is the error of
// reading its text, or nil.
func Describe(l template.Library, source template.Source, err error) TemplateInfo {
	info := TemplateInfo{
		Name: source.Name, Variables: []variableJSON{},
		Where: "shared", Directory: cli.OrNull(source.Dir), Path: cli.OrNull(source.Path), Format: cmp.Or(string(source.Format), "hobnob"),
	}
	switch source.Dir {
	case "":
		info.Where = "built-in"
	case l.Dir:
		info.Where = "file"
	}
	var t *template.Template
	if err == nil {
		t, err = template.Parse(source)
	}
	if err != nil {
		info.Error = err.Error()
		return info
	}
	info.Description, info.ignored = t.Description, t.Ignored
	for _, v := range t.Variables {
		info.Variables = append(info.Variables, variableJSON{v.Name, v.Description, v.Default})
	}
	return info
}

// Templates prints the templates of a library. On a terminal, they are grouped by
// directory.
func Templates(p *cli.Printer, l template.Library) error {
	var groups [][]TemplateInfo
	seen := map[string]bool{}
	for _, group := range l.Groups() {
		reportGroup(p, group)
		var infos []TemplateInfo
		for _, name := range group.Names {
			source, err := group.Source(name)
			info := Describe(l, source, err)
			info.Shadowed = seen[name]
			seen[name] = true
			infos = append(infos, info)
		}
		groups = append(groups, infos)
	}
	if p.WantsJSON() {
		return p.JSON(append([]TemplateInfo{}, slices.Concat(groups...)...))
	}
	if !p.IO.OutTTY {
		columns := append(templateColumns[:len(templateColumns):len(templateColumns)], terminal.Column{Title: "WHERE"})
		return p.Table(columns, templateRows(p, slices.Concat(groups...), true))
	}
	blank := ""
	for _, infos := range groups {
		if len(infos) == 0 {
			continue
		}
		if err := p.Printf("%s%s\n", blank, infos[0].heading()); err != nil {
			return err
		}
		if err := p.Table(templateColumns, templateRows(p, infos, false)); err != nil {
			return err
		}
		blank = "\n"
	}
	return nil
}

// reportGroup prints notes on a directory that cannot be listed and on ignored files.
func reportGroup(p *cli.Printer, group template.Group) {
	const most = 5
	if group.Err != nil {
		p.Note("ignored the template directory %s: %v", group.Dir, failure.Reason(group.Err))
	}
	for i, path := range group.Ignored {
		if i == most {
			p.Note("ignored %s more in %s", plural.Count(len(group.Ignored)-most, "file"), group.Dir)
			break
		}
		p.Note("ignored %s: invalid template name; use only a-z, 0-9, _ and -", path)
	}
}

var templateColumns = []terminal.Column{{Title: "NAME"}, {Title: "DESCRIPTION", Flexible: true}, {Title: "VARIABLES"}}

func templateRows(p *cli.Printer, templates []TemplateInfo, where bool) [][]string {
	rows := make([][]string, len(templates))
	for i, t := range templates {
		var variables []string
		for _, v := range t.Variables {
			variables = append(variables, v.Name)
		}
		switch t.warn(p); {
		case t.Error != "":
			t.Description = "(broken)"
		case t.Shadowed:
			t.Description = "(replaced above) " + t.Description
		}
		rows[i] = []string{t.Name, t.Description, strings.Join(variables, ", ")}
		if where && t.Where == "shared" {
			t.Where = *t.Directory
		}
		if where {
			rows[i] = append(rows[i], t.Where)
		}
	}
	return rows
}

// heading returns the heading of the group of a template.
func (t TemplateInfo) heading() string {
	switch t.Where {
	case "built-in":
		return "Built-in templates:"
	case "file":
		return "Your templates, in " + *t.Directory + ":"
	}
	return "Shared templates, in " + *t.Directory + ":"
}

// Template prints the source of a template.
func Template(p *cli.Printer, l template.Library, source template.Source) error {
	text, t := string(source.Text), Describe(l, source, nil)
	if p.WantsJSON() {
		t.Source = &text
		return p.JSON(t)
	}
	t.warn(p)
	if len(t.ignored) > 0 {
		p.Note("ignored settings of another tool: %s", strings.Join(t.ignored, ", "))
	}
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
