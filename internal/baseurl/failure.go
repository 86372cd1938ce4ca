package baseurl

import "github.com/hobnob-cli/hobnob/internal/failure"

// Hint says how to set another base URL.
func Hint() failure.Hint {
	return failure.Hintf("set it with --base-url, HOBNOB_BASE_URL, or: %s", failure.Run("hobnob config set base_url URL"))
}

// Failure implements failure.Explainer.
func (e *Error) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Config, Hint: Hint()}
}
