package doctor

import (
	"context"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// checkTemplates reports directories of templates that cannot be read.
func checkTemplates(_ context.Context, e *examination) Finding {
	library, err := e.f.Templates()
	if err != nil {
		return Finding{} // reported by checkConfig or checkProject
	}
	found, _ := e.f.Project() // no error: the templates include those of the project
	ofProject, _ := found.TemplatePaths()
	for _, group := range library.Groups() {
		if group.Err != nil {
			fix := "correct templates.paths: hobnob config edit"
			if slices.Contains(ofProject, group.Dir) {
				fix = "correct templates in " + found.Path()
			}
			e.report(e.problem(failure.Plain(fix), "cannot list the templates in %s: %v", group.Dir, failure.Reason(group.Err)))
		}
	}
	return Finding{}
}
