package history

import (
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Failure implements failure.Explainer.
func (e *ReadOnlyError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.History, Hint: failure.Plain("update hobnob")}
}

// Failure implements failure.Explainer.
func (e *NotFoundError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.NotFound}
	switch {
	case len(e.Trashed) == 1:
		f.Hint = failure.Plain("take it out with: hobnob conversations restore " + Short(e.Trashed[0].ID))
	case len(e.Trashed) > 1:
		f.Hint = failure.Hintf("see them with: %s", failure.Run("hobnob conversations list --deleted"))
	case e.NoHistory:
		f.Hint = failure.Plain("there is no history yet")
	case e.Ref == "":
		f.Hint = failure.Hintf("the profile %q has no conversation yet", e.Profile)
	default:
		f.Hint = failure.Hintf("see them with: %s", failure.Run("hobnob conversations list --local"))
	}
	return f
}

// Failure implements failure.Explainer.
func (e *TurnNotFoundError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Hintf("a turn is named by its id or at least its first four characters: %s", failure.Run("hobnob conversations tree"))}
}

// Failure implements failure.Explainer.
func (e *ImportError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Unreadable, Hint: failure.Plain("nothing of this file was imported")}
}

// Hint returns what to do about an error of the history: its own hint, or where
// to look.
func Hint(err error) failure.Hint {
	if f := failure.Of(err); f.Kind == failure.History {
		return f.Hint
	}
	return failure.Plain("check the disk and the permissions of the data directory (hobnob status names it)")
}

// Failure implements failure.Explainer.
func (e *AmbiguousError) Failure() failure.Failure {
	var ids []string
	for _, c := range e.Matches {
		ids = append(ids, c.ID[:min(len(c.ID), 13)])
	}
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Plain("say more of the id: " + strings.Join(ids, ", "))}
}
