package ask

import (
	"context"
	"errors"
	"time"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// Comparison returns the answered turns of a conversation from the first to the head,
// and those of an earlier replay of it, which may be nil. The replay must be another
// conversation, and its turns must have the same questions in the same order.
func Comparison(ctx context.Context, store *history.Store, old history.Conversation, replay *history.Conversation) (before, after []history.Turn, err error) {
	if before, err = store.Path(ctx, old.Head, 0); err != nil {
		return nil, nil, err
	}
	if len(before) == 0 {
		return nil, nil, failure.WithHint(failure.New(failure.NotFound, failure.Hint{}, "conversation "+history.Short(old.ID)+" has no answer to compare with"),
			"to retry its questions: %s", failure.Run("hobnob resend %s", history.Short(old.ID)).In(old.Profile))
	}
	if replay == nil {
		return before, nil, nil
	}
	const hint = "omit --into to start a new conversation"
	if replay.ID == old.ID {
		return nil, nil, failure.Usagef(hint, "conversation %s cannot be a replay of itself", history.Short(old.ID))
	}
	if after, err = store.Path(ctx, replay.Head, 0); err != nil {
		return nil, nil, err
	}
	for i, t := range after {
		if i >= len(before) || t.Question != before[i].Question {
			return nil, nil, failure.Usagef(hint, "conversation %s is not a replay of %s: question %d differs",
				history.Short(replay.ID), history.Short(old.ID), i+1)
		}
	}
	return before, after, nil
}

// Replay asks the questions of turns, in order, each in the context of the new replies,
// and calls done with each answer. The first question is asked as question, which has
// the agent and the conversation. Replay stops at the first failure, because the next
// questions would have another context.
func (a Asker) Replay(ctx context.Context, question chat.Question, turns []history.Turn, done func(old history.Turn, answer chat.Answer) error) error {
	for _, old := range turns {
		question.Text = old.Question
		stop := a.Wait(ctx, "asking", time.Time{}, question.AgentID)
		answer, err := a.Chat.Ask(ctx, question)
		if stop(err); err != nil {
			return err
		}
		if err := done(old, answer); err != nil {
			return err
		}
		view.Remarks(a.f.Print, answer)
		if answer.SaveErr != nil {
			return &chat.NotSavedError{Err: answer.SaveErr, Shown: true}
		}
		conversation, err := a.Chat.History.Find(ctx, answer.Conversation)
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
		question.Conversation, question.Parent, question.Title = &conversation, &answer.Turn, ""
	}
	return nil
}
