package cli

import (
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/template"
)

// Templates returns the library of templates: the user's own, those of the setting
// templates.paths, those of the project, and the built-in ones.
func (f *Factory) Templates() (template.Library, error) {
	paths, err := f.Paths()
	if err != nil {
		return template.Library{}, err
	}
	settings, err := f.Config()
	if err != nil {
		return template.Library{}, err
	}
	shared, err := config.TemplatePaths(settings)
	if err != nil {
		return template.Library{}, err
	}
	found, err := f.ProjectInUse()
	if err != nil {
		return template.Library{}, err
	}
	ofProject, err := found.TemplatePaths()
	if err != nil {
		return template.Library{}, err
	}
	return template.Library{
		Shared: append(shared, ofProject...),
		Dir:    filepath.Join(filepath.Dir(paths.ConfigFile), "templates"),
		CheckName: func(name string) error {
			if err := config.CheckName(name); err != nil {
				return failure.Usagef("see: hobnob templates list", "%v", err)
			}
			return nil
		},
	}, nil
}
