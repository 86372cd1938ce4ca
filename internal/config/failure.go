package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// Failure implements failure.Explainer.
func (e *FileError) Failure() failure.Failure {
	hint := "to correct it: hobnob config edit"
	if errors.Is(e, fs.ErrPermission) {
		hint = cmp.Or(access.Fix(e.Path, access.Read), "check the permissions of the file and its parent directories")
	}
	if errors.As(e, new(*input.KindError)) {
		hint = "set --config or HOBNOB_CONFIG to a regular file"
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
		f.Hint = failure.Plain("correct or omit " + e.Source.Name)
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
	return failure.Failure{Kind: failure.Config, Hint: failure.Plain("choose one with -p NAME, or permanently with: hobnob profiles use NAME")}
}

// Failure implements failure.Explainer.
func (e *UnknownProfileError) Failure() failure.Failure {
	name := "NAME"
	if e.CanBeCreated() {
		name = strings.ToLower(e.Name)
	}
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Plain(fmt.Sprintf("profiles: %s; to create one: hobnob login -p %s, or hobnob config set base_url URL -p %s", strings.Join(e.Known, ", "), name, name))}
}

// Failure implements failure.Explainer.
func (e *NotBuiltInError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.NotFound}
	switch {
	case e.Alias != "":
		f.Hint = failure.Hintf("remove it: %s", failure.Run("hobnob agents remove %s", shell.Word(e.Alias)).In(Local))
	case e.Default:
		f.Hint = failure.Hintf("choose a built-in agent: %s", failure.Run("hobnob agents use guide").In(Local))
	default:
		f.Hint = failure.Plain("connect to the agent's service first: hobnob login")
	}
	return f
}

// Failure implements failure.Explainer.
func (e *UnknownAgentError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.NotFound}
	switch near := suggest.Nearest(e.Name, e.Known); {
	case near != "":
		f.Hint = failure.Hintf("did you mean %q?", near)
	case len(e.Known) == 0:
		f.Hint = failure.Hintf("add it first: %s", failure.Run("hobnob agents add %s UUID", shell.Word(e.Name)))
	default:
		f.Hint = failure.Hintf("agents: %s; to add one: %s", strings.Join(e.Known, ", "), failure.Run("hobnob agents add NAME UUID"))
	}
	return f
}

// StyleHint returns a list of the values of the setting style.
func StyleHint() string {
	style, _ := Lookup("style")
	return "styles: " + strings.Join(style.Values, ", ") + ", or a JSON file"
}
