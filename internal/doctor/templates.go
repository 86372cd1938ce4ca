package doctor

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// checkTemplates reports directories of templates that cannot be read.
func checkTemplates(_ context.Context, e *examination) Finding {
	library, err := e.f.Templates()
	if err != nil {
		return Finding{} // reported by checkConfig
	}
	for _, group := range library.Groups() {
		if group.Err != nil {
			e.report(e.problem(failure.Plain("correct templates.paths: hobnob config edit"), "cannot list the templates in %s: %v", group.Dir, failure.Reason(group.Err)))
		}
	}
	return Finding{}
}
