package ask

import (
	"context"
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/schema"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// onceJSON asks a question for JSON and shows the document in the reply.
func (a Asker) onceJSON(ctx context.Context, question chat.Question) (chat.Answer, error) {
	answer, err := a.askJSON(ctx, "", question, a.ask)
	switch {
	case err == nil:
		return answer, a.finishOnce(ctx, question.AgentID, answer)
	case !errors.As(err, new(*unfitError)):
		return answer, err
	}
	view.Remarks(a.f.Print, answer)
	if a.Usage {
		view.Cost(a.f.Print, "", answer)
	}
	if answer.Reply.Model == "guide" {
		a.noteGuide()
	}
	shown := a.showUnfit(answer)
	if answer.SaveErr != nil {
		err = &chat.NotSavedError{Err: errors.Join(answer.SaveErr, err), Shown: shown}
	}
	return answer, err
}

// askJSON asks a question and, while the reply does not fit the schema, asks for a
// correction. Each attempt is a turn after the previous one, and its context includes all
// of them in spite of the limits. The name is that of the agent, or "" if there is only
// one. If no reply fits, the error is an *unfitError.
func (a Asker) askJSON(ctx context.Context, name string, question chat.Question, ask func(context.Context, chat.Question) (chat.Answer, error)) (chat.Answer, error) {
	var answer chat.Answer
	var branch history.Branch
	if name != "" {
		name += ": "
	}
	document, attempts, err := a.Contract.Ask(ctx, question.Text, func(text string, attempt int, wrong *schema.MismatchError) (string, error) {
		if wrong != nil && answer.SaveErr != nil {
			return "", wrong // a correction can only follow a recorded answer
		}
		if wrong != nil {
			a.f.Print.Note("%sasking again (%d of %d): %v", name, attempt, a.Contract.Retries+1, wrong)
			question.Text, question.Keep = text, attempt-1
			question.Conversation, question.Parent = &history.Conversation{ID: answer.Conversation}, &answer.Turn
		}
		var err error
		if answer, err = ask(ctx, question); branch == (history.Branch{}) {
			branch = answer.Branch
		}
		return answer.Reply.Text, err
	})
	answer.Branch, answer.Document, answer.Attempts = branch, document, attempts
	if failure.Of(err).Kind == failure.Schema {
		err = &unfitError{err, answer}
	}
	return answer, err
}

// showUnfit writes a reply that does not fit to stderr if it is not in the history, and
// reports whether it did. With --json, stderr is for the document of the failure.
func (a Asker) showUnfit(answer chat.Answer) bool {
	if answer.Saved || a.f.Print.WantsJSON() {
		return false
	}
	fmt.Fprint(a.f.Print.IO.Err, terminal.Clean(view.WithNewline(answer.Reply.Text)))
	return true
}

// unfitError means that the last reply to a question does not fit the schema.
type unfitError struct {
	err    error
	answer chat.Answer
}

func (e *unfitError) Error() string { return e.err.Error() }

func (e *unfitError) Unwrap() error { return e.err }

// Failure implements failure.Explainer.
func (e *unfitError) Failure() failure.Failure {
	f := failure.Of(e.err)
	if e.answer.Saved {
		f.Conversation, f.Turn, f.State = e.answer.Conversation, e.answer.Turn, string(history.Answered)
		f.Hint = failure.Hintf("to see the last reply: %s", failure.Run("hobnob conversations show %s", history.Short(e.answer.Conversation)))
	}
	return f
}
