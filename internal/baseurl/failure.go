package baseurl

import (
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// HintIn returns how a profile gets another base URL, or this one where only its
// http:// is refused. An empty name is the selected profile.
func (e *Error) HintIn(profile string) failure.Hint {
	if e.insecure != "" {
		return failure.Hintf("on a network you trust, allow it: %s", failure.Run("hobnob config set base_url %s --allow-insecure-http", shell.Word(e.insecure)).In(profile))
	}
	return failure.Hintf("set it with --base-url, HOBNOB_BASE_URL, or: %s", failure.Run("hobnob config set base_url URL").In(profile))
}

// Failure implements failure.Explainer.
func (e *Error) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: e.HintIn("")}
}
