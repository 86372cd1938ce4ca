package doctor

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/project"
)

// checkProject reports a project file that is invalid, or that other users can write.
func checkProject(_ context.Context, e *examination) Finding {
	found, err := e.f.Project()
	if err == nil {
		err = found.Err
	}
	if err == nil {
		_, err = found.TemplatePaths()
	}
	switch {
	case err != nil:
		return e.problemOf(err)
	case !found.Exists():
		return Finding{}
	case errors.As(found.Ignored, new(*project.UntrustedError)):
		return e.passed("%s is ignored: %v", found.Path(), found.Ignored)
	case found.Ignored != nil:
		return e.problemOf(found.Ignored)
	}
	return e.passed("%s", found.Path())
}
