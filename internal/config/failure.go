package config

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// Failure implements failure.Explainer.
func (e *FileError) Failure() failure.Failure {
	hint := "correct it with: hobnob config edit"
	if errors.Is(e, fs.ErrPermission) {
		hint = cmp.Or(access.Fix(e.Path, access.Read), "look at its permissions and at those of the directories above it")
	}
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain(hint)}
}

// Failure implements failure.Explainer.
func (e *ValueError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.Config}
	switch e.Source.Kind {
	case "environment":
		f.Hint = failure.Plain("correct or unset " + e.Source.Name)
	case "flag":
		f.Hint = failure.Plain("correct " + e.Source.Name + ", or leave it out")
	default:
		f.Hint = failure.Hintf("see: %s", failure.Run("hobnob config list --show-source"))
	}
	return f
}

// Failure implements failure.Explainer.
func (e *NoBaseURLError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: failure.Hintf("run: %s", failure.Run("hobnob login").In(e.Profile))}
}

// Failure implements failure.Explainer.
func (e *AmbiguousProfileError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("choose one with -p, or for good with: hobnob config set profile NAME")}
}

// Failure implements failure.Explainer.
func (e *UnknownProfileError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Plain("profiles here: " + strings.Join(e.Known, ", ") + "; a new one is made by: hobnob login -p NAME")}
}

// Failure implements failure.Explainer.
func (e *UnknownAgentError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.NotFound}
	switch near := suggest.Nearest(e.Name, e.Known); {
	case near != "":
		f.Hint = failure.Hintf("did you mean %q? see: %s", near, failure.Run("hobnob agents list"))
	case len(e.Known) == 0:
		f.Hint = failure.Hintf("name it first: %s", failure.Run("hobnob agents add %s UUID", shell.Word(e.Name)))
	default:
		f.Hint = failure.Hintf("agents here: %s; add one with: %s", strings.Join(e.Known, ", "), failure.Run("hobnob agents add NAME UUID"))
	}
	return f
}

// StyleHint lists the values of the setting style.
func StyleHint() string {
	style, _ := Lookup("style")
	return "styles: " + strings.Join(style.Values, ", ") + ", or a JSON file"
}
