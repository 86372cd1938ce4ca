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

// pollInterval is how often Wait reads the history.
const pollInterval = 200 * time.Millisecond

// NothingPendingError means that a profile has no questions.
type NothingPendingError struct{ Profile string }

func (e *NothingPendingError) Error() string {
	return fmt.Sprintf("no question to wait for in profile %q", e.Profile)
}

// Failure implements failure.Explainer.
func (e *NothingPendingError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.NotFound, Hint: failure.Hintf("to ask one: %s", failure.Run("hobnob chat --detach"))}
}

// Latest returns the latest pending question of a profile. If none is pending, it
// returns the latest question, which may have been answered already. The error is a
// *NothingPendingError if there is no question.
func Latest(ctx context.Context, store *history.Store, profile string) (history.Turn, error) {
	pending, err := store.Pending(ctx, profile)
	if err != nil {
		return history.Turn{}, err
	}
	if len(pending) > 0 {
		return pending[0], nil
	}
	conversation, err := store.LastUsed(ctx, profile)
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
	if len(turns) == 0 { // imported without turns, or just removed
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

// Wait waits until a turn is no longer pending and returns it in its new state, which is
// unknown if its process died. A limit above 0 bounds the wait. The error is a
// *PendingError if ctx was cancelled or the limit passed first.
func Wait(ctx context.Context, store *history.Store, turn history.Turn, limit time.Duration) (history.Turn, error) {
	var timeout <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for turn.State == history.Pending {
		select {
		case <-ctx.Done():
			return turn, &PendingError{Turn: turn, Err: ctx.Err()}
		case <-timeout:
			return turn, &PendingError{Turn: turn, Err: fmt.Errorf("no answer within %s; the question is still pending", duration.Format(limit))}
		case <-ticker.C:
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

// PendingError means that a wait ended before the question was answered.
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
		Kind: failure.Unknown, Hint: failure.Plain("to wait for the answer: hobnob wait " + history.Short(e.Turn.ID)),
		Conversation: e.Turn.Conversation, Turn: e.Turn.ID, State: string(history.Pending),
		Effect: "the question is still pending", GoesOn: true,
	}
}

// Recorded returns the answer of an answered turn, as Ask returned it.
func Recorded(ctx context.Context, store *history.Store, turn history.Turn) (Answer, error) {
	branch, err := store.BranchOf(ctx, turn)
	if err != nil {
		return Answer{}, err
	}
	reply := api.Reply{Text: turn.Reply, FinishReason: turn.Service.FinishReason, Raw: turn.Service.Response}
	// Imported answers have no response.
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

// NoAnswer returns a *FailedError for a turn that failed or has an unknown outcome, and
// nil for any other. Profile is the profile of its conversation if the hint must name
// it, otherwise empty. Renew is the hint for replacing the token. If zero, the hint
// names hobnob login.
func NoAnswer(turn history.Turn, profile string, renew failure.Hint) error {
	if turn.State != history.Failed && turn.State != history.Unknown {
		return nil
	}
	return &FailedError{State: turn.State, Conversation: turn.Conversation, Turn: turn.ID, Err: &recordedError{turn, profile, renew}}
}

// recordedError is the failure of a question as recorded in the history.
type recordedError struct {
	turn    history.Turn
	profile string
	renew   failure.Hint
}

func (e *recordedError) Error() string {
	return fmt.Sprintf("turn %s has no answer: %s", history.Short(e.turn.ID), cmp.Or(e.turn.Failure.Text, "unknown reason"))
}

// Failure implements failure.Explainer.
func (e *recordedError) Failure() failure.Failure {
	resend := failure.Run("hobnob resend %s", history.Short(e.turn.Conversation)).In(e.profile)
	if e.turn.State == history.Unknown {
		return failure.Failure{Kind: failure.Unknown, Hint: failure.Hintf("the service may have accepted the question; to retry: %s", resend)}
	}
	f := failure.Failure{Kind: e.turn.Failure.Kind, Status: e.turn.Failure.Status}
	f.Hint = failure.Hintf("the service did not accept the question; to retry: %s", resend)
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
