package cli

import (
	"os"
	"path/filepath"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/project"
)

// Trusted returns the list of directories whose project files the user trusts.
func (f *Factory) Trusted() (project.Trusted, error) {
	paths, err := f.Paths()
	return project.Trusted{Path: filepath.Join(paths.DataDir, project.TrustFile)}, err
}

// loadProject returns the project of the working directory, unless HOBNOB_PROJECT turns
// it off.
func loadProject(f *Factory) (project.Project, error) {
	switch value := f.Env("HOBNOB_PROJECT"); value {
	case "":
	case "off":
		return project.Project{}, nil
	default:
		return project.Project{}, failure.Usagef("correct or unset HOBNOB_PROJECT", "invalid value %q for HOBNOB_PROJECT: must be off", value)
	}
	trusted, err := f.Trusted()
	if err != nil {
		return project.Project{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return project.Project{}, nil // a deleted directory has no project
	}
	return project.Load(dir, f.Env("HOME"), trusted), nil
}

// ProjectProfile is like Profile, for commands that ask an agent: if the project file is
// ignored, it prints a note, and if the file is invalid, it returns the error.
func (f *Factory) ProjectProfile() (config.Profile, error) {
	found, err := f.Project()
	switch {
	case err != nil:
		return config.Profile{}, err
	case found.Err != nil:
		return config.Profile{}, found.Err
	case found.Ignored != nil:
		f.Print.Note("ignored %s: %v; %s", found.Path(), found.Ignored, failure.Of(found.Ignored).Hint)
	}
	return f.Profile()
}
