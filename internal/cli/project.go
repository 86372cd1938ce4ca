package cli

import (
	"os"
	"path/filepath"
	"sync"

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

// ProjectInUse returns the project of the working directory for commands that use its
// settings. If the project file is ignored, it prints a note, once; if the file is
// invalid, it returns the error.
func (f *Factory) ProjectInUse() (project.Project, error) {
	found, err := f.Project()
	if err == nil {
		err = found.Err
	}
	if err == nil && found.Ignored != nil {
		f.noteIgnored(found)
	}
	return found, err
}

// ProjectProfile is like Profile, for commands that ask an agent. It does what
// ProjectInUse does.
func (f *Factory) ProjectProfile() (config.Profile, error) {
	if _, err := f.ProjectInUse(); err != nil {
		return config.Profile{}, err
	}
	return f.Profile()
}

// noteIgnored returns a function that prints the reason why a project file is ignored.
func noteIgnored(f *Factory) func(project.Project) {
	var once sync.Once
	return func(p project.Project) {
		once.Do(func() {
			f.Print.Note("ignored %s: %v; %s", p.Path(), p.Ignored, failure.Of(p.Ignored).Hint)
		})
	}
}
