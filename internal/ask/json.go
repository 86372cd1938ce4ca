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

// onceJSON asks a question and, while the reply does not fit the schema, asks for a
// correction. Each attempt is a turn after the previous one, and its context includes all
// of them in spite of the limits. If a reply fits, onceJSON shows the document in it.
func (a Asker) onceJSON(ctx context.Context, question chat.Question) (chat.Answer, error) {
	var answer chat.Answer
	var branch history.Branch
	document, attempts, err := a.Contract.Ask(ctx, question.Text, func(text string, attempt int, wrong *schema.MismatchError) (string, error) {
		if wrong != nil && answer.SaveErr != nil {
			return "", wrong // a correction can only follow a recorded answer
		}
		if wrong != nil {
			a.f.Print.Note("asking again (%d of %d): %v", attempt, a.Contract.Retries+1, wrong)
			question.Text, question.Keep = text, attempt-1
			question.Conversation, question.Parent = &history.Conversation{ID: answer.Conversation}, &answer.Turn
		}
		var err error
		if answer, err = a.ask(ctx, question); branch == (history.Branch{}) {
			branch = answer.Branch
		}
		return answer.Reply.Text, err
	})
	answer.Branch, answer.Document, answer.Attempts = branch, document, attempts
	switch {
	case err == nil:
		return answer, a.finishOnce(ctx, question.AgentID, answer)
	case failure.Of(err).Kind == failure.Schema:
		return answer, a.finishUnfit(answer, err)
	}
	return answer, err
}

// finishUnfit shows notes about the last reply if none fits the schema, and the reply
// itself on stderr if it is not in the history. It returns the error for it.
func (a Asker) finishUnfit(answer chat.Answer, err error) error {
	view.Remarks(a.f.Print, answer)
	if a.Usage {
		view.Cost(a.f.Print, "", answer)
	}
	if answer.Reply.Model == "guide" {
		a.noteGuide()
	}
	shown := !answer.Saved && !a.f.Print.WantsJSON()
	if shown {
		fmt.Fprint(a.f.Print.IO.Err, terminal.Clean(view.WithNewline(answer.Reply.Text)))
	}
	if answer.SaveErr != nil {
		return &chat.NotSavedError{Err: errors.Join(answer.SaveErr, err), Shown: shown}
	}
	return &unfitError{err, answer}
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
