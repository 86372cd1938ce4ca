package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// pollPace is how often Wait looks at the history.
const pollPace = 200 * time.Millisecond

// NothingPendingError says that nothing was asked in a profile to which an
// answer could come.
type NothingPendingError struct{ Profile string }

func (e *NothingPendingError) Error() string {
	return fmt.Sprintf("there is no question to wait for in the profile %q", e.Profile)
}

// Failure implements failure.Explainer.
func (e *NothingPendingError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Hintf("ask one with: %s", failure.Run("hobnob chat --detach"))}
}

// Latest returns the question of a profile that was asked last and is pending,
// else the latest question: its answer may have come already. The error is a
// *NothingPendingError when there is none.
func Latest(ctx context.Context, store *history.Store, profile string) (history.Turn, error) {
	pending, err := store.Pending(ctx, profile)
	if err != nil {
		return history.Turn{}, err
	}
	if len(pending) > 0 {
		return pending[0], nil
	}
	conversation, err := store.Latest(ctx, profile)
	if errors.As(err, new(*history.NotFoundError)) {
		return history.Turn{}, &NothingPendingError{Profile: profile}
	}
	if err != nil {
		return history.Turn{}, err
	}
	turns, err := store.Turns(ctx, conversation.ID)
	if err != nil {
		return history.Turn{}, err
	}
	if len(turns) == 0 { // imported so, or removed just now
		return history.Turn{}, &NothingPendingError{Profile: profile}
	}
	latest := turns[0]
	for _, t := range turns {
		if t.Asked.After(latest.Asked) {
			latest = t
		}
	}
	return latest, nil
}

// Wait waits until a turn is no longer pending and returns it as it is then: one
// whose process died reads as unknown. With a limit above 0 it waits no longer
// than that. The error is a *PendingError when the wait ended first.
func Wait(ctx context.Context, store *history.Store, turn history.Turn, limit time.Duration) (history.Turn, error) {
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	pace := time.NewTicker(pollPace)
	defer pace.Stop()
	for turn.State == history.Pending {
		select {
		case <-ctx.Done():
			return turn, &PendingError{Turn: turn, Err: ctx.Err()}
		case <-late:
			return turn, &PendingError{Turn: turn, Err: fmt.Errorf("no answer within %s; the question goes on", duration.Format(limit))}
		case <-pace.C:
		}
		now, err := store.FindTurn(ctx, turn.Conversation, turn.ID)
		if err != nil && ctx.Err() == nil {
			return turn, err
		}
		if err == nil {
			turn = now
		}
	}
	return turn, nil
}

// PendingError is a wait that ended before the question had its answer.
type PendingError struct {
	Turn history.Turn
	Err  error
}

func (e *PendingError) Error() string { return e.Err.Error() }

// Unwrap returns why the wait ended.
func (e *PendingError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *PendingError) Failure() failure.Failure {
	return failure.Failure{
		Kind: failure.Unknown, Hint: failure.Plain("to wait for its answer again: hobnob wait " + history.Short(e.Turn.ID)),
		Conversation: e.Turn.Conversation, Turn: e.Turn.ID, State: string(history.Pending),
		Effect: "the question goes on", GoesOn: true,
	}
}

// Recorded returns the answer of an answered turn as Ask returned it.
func Recorded(ctx context.Context, store *history.Store, turn history.Turn) (Answer, error) {
	branch, err := store.Beside(ctx, turn)
	if err != nil {
		return Answer{}, err
	}
	reply := api.Reply{Text: turn.Reply, FinishReason: turn.Service.FinishReason, Raw: turn.Service.Response}
	// Of an answer that was imported there is no response.
	var response struct {
		Created json.Number `json:"created"`
	}
	if json.Unmarshal(turn.Service.Response, &response) == nil {
		reply.Created = response.Created
	}
	reply.ID, reply.ConversationID, reply.Model = turn.Service.ID, turn.Service.ConversationID, turn.Service.Model
	if u := turn.Service.Usage; u != nil {
		reply.Usage = &api.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.TotalTokens}
	}
	return Answer{
		Reply: reply, Conversation: turn.Conversation, Turn: turn.ID, Parent: turn.Parent,
		Started: turn.Asked, Elapsed: turn.Ended.Sub(turn.Asked), Branch: branch, Saved: true,
	}, nil
}

// NoAnswer returns a *FailedError for a turn that failed or whose outcome is
// unknown, and nil for any other. Profile is that of its conversation, as its
// hints have to name it; renew says how its token is replaced, the zero Hint
// that login stores another.
func NoAnswer(turn history.Turn, profile string, renew failure.Hint) error {
	if turn.State != history.Failed && turn.State != history.Unknown {
		return nil
	}
	return &FailedError{State: turn.State, Conversation: turn.Conversation, Turn: turn.ID, Err: &recordedError{turn, profile, renew}}
}

// recordedError is what the history knows of a question that got no answer.
type recordedError struct {
	turn    history.Turn
	profile string
	renew   failure.Hint
}

func (e *recordedError) Error() string {
	return fmt.Sprintf("the question of turn %s got no answer: %s", history.Short(e.turn.ID), cmp.Or(e.turn.Failure.Text, "the reason is not known"))
}

// Failure implements failure.Explainer.
func (e *recordedError) Failure() failure.Failure {
	resend := failure.Run("hobnob resend %s", history.Short(e.turn.Conversation)).In(e.profile)
	if e.turn.State == history.Unknown {
		return failure.Failure{Kind: failure.Unknown, Hint: failure.Hintf("the service may have accepted the question; to send it again: %s", resend)}
	}
	f := failure.Failure{Kind: e.turn.Failure.Kind, Status: e.turn.Failure.Status}
	f.Hint = failure.Hintf("the service did not accept the question; to send it again: %s", resend)
	switch f.Kind {
	case failure.Auth:
		f.Hint = failure.Hintf("store a valid token with %s, then: %s", failure.Run("hobnob login").In(e.profile), resend)
		if !e.renew.IsZero() {
			f.Hint = failure.Hintf("%s, then: %s", e.renew, resend)
		}
	case failure.Interrupted:
		f.Kind = failure.NotSent
	case failure.Unrecorded:
		f.Kind = failure.Other
	}
	return f
}
