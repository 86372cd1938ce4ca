package view

import (
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/project"
)

// ProjectInfo describes a project file. Its JSON form is stable. The settings are null
// unless the file is read.
type ProjectInfo struct {
	Directory string  `json:"directory"`
	File      string  `json:"file"`
	Trusted   bool    `json:"trusted"`
	Problem   *string `json:"problem"` // why the file has no effect
	Agent     *string `json:"agent"`
	// Instructions are the text, also of InstructionsFile, a path relative to the directory.
	Instructions     *string `json:"instructions"`
	InstructionsFile *string `json:"instructions_file"`
	// Templates and Files are paths relative to the directory.
	Templates []string `json:"templates"`
	Files     []string `json:"files"`

	summary string
}

// DescribeProject describes a project, or returns nil if there is none.
func DescribeProject(p project.Project) *ProjectInfo {
	if !p.Exists() {
		return nil
	}
	info := &ProjectInfo{
		Directory: p.Dir, File: p.Path(), Trusted: p.Ignored == nil, Agent: cli.OrNull(p.Agent),
		Instructions: cli.OrNull(p.Instructions), InstructionsFile: cli.OrNull(p.InstructionsFile),
		Templates: append([]string{}, p.Templates...), Files: append([]string{}, p.Files...),
	}
	switch {
	case p.Ignored != nil:
		info.Problem = cli.OrNull(p.Ignored.Error())
		info.summary = "ignored: " + p.Ignored.Error() + "; " + failure.Of(p.Ignored).Hint.String()
	case p.Err != nil:
		info.Problem = cli.OrNull(p.Err.Error())
		info.summary = p.Err.Error()
	default:
		var sets []string
		for _, pair := range p.Describe() {
			sets = append(sets, pair[0]+" "+config.Clip(pair[1]))
		}
		info.summary = strings.Join(sets, ", ")
	}
	return info
}

// String returns the path of the file and what it sets, or why it has no effect.
func (i ProjectInfo) String() string {
	switch {
	case i.summary == "":
		return i.File + " (sets nothing)"
	case i.Trusted && i.Problem != nil:
		return i.summary // includes the path
	}
	return i.File + " (" + i.summary + ")"
}
