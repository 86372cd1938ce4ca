package history

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// Failure implements failure.Explainer.
func (e *NotFoundError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.NotFound}
	switch {
	case len(e.Trashed) == 1:
		f.Hint = failure.Plain("to restore it: hobnob conversations restore " + Short(e.Trashed[0].ID))
	case len(e.Trashed) > 1:
		f.Hint = failure.Hintf("to list them: %s", failure.Run("hobnob conversations list --deleted"))
	case e.Ref == "" && len(e.Elsewhere) > 0:
		f.Hint = failure.Plain(Elsewhere(e.Elsewhere, e.Profile))
	case e.Ref == "":
		f.Hint = failure.Hintf("to start one: %s", failure.Run("hobnob chat"))
	case e.NoHistory:
		f.Hint = failure.Plain("there is no history yet")
	default:
		f.Hint = failure.Hintf("to list the conversations: %s", failure.Run("hobnob conversations list --local"))
	}
	return f
}

// Failure implements failure.Explainer.
func (e *TurnNotFoundError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Hintf("to list the turns: %s", failure.Run("hobnob conversations tree"))}
}

// Failure implements failure.Explainer.
func (e *ImportError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Unreadable}
}

// Hint returns the hint of an error of the history, or a general one if it has none.
func Hint(err error) failure.Hint {
	if f := failure.Of(err); f.Kind == failure.History {
		return f.Hint
	}
	return failure.Plain("check the disk and the permissions of the data directory (see hobnob status)")
}

// maxProfiles is the maximum number of profiles that Elsewhere lists.
const maxProfiles = 5

// Elsewhere lists all profiles except one, each with its number of conversations and
// the flag that selects it. It returns "" if there are none.
func Elsewhere(counts []ProfileCount, except string) string {
	var named []string
	for _, c := range counts {
		if c.Profile != except {
			count := strconv.Itoa(c.Conversations)
			if c.Conversations > manyConversations {
				count = fmt.Sprintf("more than %d", manyConversations)
			}
			named = append(named, fmt.Sprintf("%s in profile %s (-p %s)", count, c.Profile, shell.Word(c.Profile)))
		}
	}
	if more := len(named) - maxProfiles; more > 0 {
		named = append(named[:maxProfiles], fmt.Sprintf("%d more profiles", more))
	}
	return strings.Join(named, ", ")
}
