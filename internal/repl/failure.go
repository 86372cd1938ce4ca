package repl

import (
	"errors"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// report prints an error, its hint, and a hint for the chat.
func (s *session) report(err error) {
	f := failure.Of(err)
	s.f.Print.Line("error", s.f.Print.Explain(err).Message)
	for _, hint := range []failure.Hint{f.Hint, next(err, f)} {
		if !hint.IsZero() {
			s.f.Print.Line("hint", s.f.Print.Sprintf("%s", hint))
		}
	}
}

// next returns a hint for the chat after an error. It does not suggest a command that
// would repeat the error.
func next(err error, f failure.Failure) failure.Hint {
	var failed *chat.FailedError
	switch {
	case errors.As(err, new(*history.TurnNotFoundError)):
		return failure.Plain("/tree shows the turns of this conversation")
	case errors.As(err, new(*history.NotFoundError)):
		return failure.Plain("/open lists the latest conversations")
	case errors.As(err, new(*chat.NotSavedError)):
		return failure.Plain("/save PATH writes the reply to a file")
	case !errors.As(err, &failed):
		return failure.Hint{}
	case f.Hint.NeedsRestart() && failed.Conversation != "":
		return failure.Hintf("the change takes effect in a new chat: /exit, then: %s", failure.Run("hobnob chat -C %s --again -i", history.Short(failed.Conversation)))
	case f.Hint.NeedsRestart():
		return failure.Plain("the change takes effect in a new chat: /exit")
	case f.Kind == failure.Auth, f.Kind == failure.NotSent:
		return failure.Plain("then /again retries the question")
	case f.Kind == failure.Config, f.Status == 413:
		return failure.Plain("/undo lets you shorten the question; /new starts without the earlier turns")
	case f.Status == 404:
		return failure.Plain("/agent NAME switches to another agent, then /again retries the question")
	case f.Kind == failure.Refused:
		return failure.Plain("/undo lets you edit the question")
	}
	return failure.Plain("/again retries the question")
}
