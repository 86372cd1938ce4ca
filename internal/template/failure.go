package template

import (
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// Failure implements failure.Explainer.
func (e *NotFoundError) Failure() failure.Failure {
	hint := failure.Hintf("templates here: %s; a new one is made by: hobnob templates edit %s", strings.Join(e.Known, ", "), e.Name)
	if near := suggest.Nearest(e.Name, e.Known); near != "" {
		hint = failure.Hintf("did you mean %q? see: hobnob templates list", near)
	}
	return failure.Failure{Kind: failure.NotFound, Hint: hint}
}

// Failure implements failure.Explainer.
func (e *UnknownVariableError) Failure() failure.Failure {
	hint := failure.Plain("its variables: " + strings.Join(e.Known, ", "))
	if near := suggest.Nearest(e.Variable, e.Known); near != "" {
		hint = failure.Hintf("did you mean --var %s=…?", near)
	} else if len(e.Known) == 0 {
		hint = failure.Plain("it has no variables; see: hobnob templates show " + e.Template)
	}
	return failure.Failure{Kind: failure.Usage, Hint: hint}
}

// Failure implements failure.Explainer.
func (e *Error) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("correct it with: hobnob templates edit " + e.Name)}
}
