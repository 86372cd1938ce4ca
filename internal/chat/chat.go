// Package chat is the exchange: it builds the context of a question, journals
// it, sends it and records what came of it, in that order, so that no question
// or answer is lost and every turn's state is true. It knows neither commands
// nor the terminal: the caller prints, after Ask has returned.
package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// recordTimeout bounds the write of a failure, because it may follow a Ctrl-C,
// which must end at once. An answer is worth the whole wait for the database.
const recordTimeout = time.Second

// Sender sends one request to the service; *api.Client is one.
type Sender interface {
	Chat(ctx context.Context, request api.Request, id string) (api.Reply, error)
}

// Asker asks questions of one profile.
type Asker struct {
	Client  Sender
	History *history.Store // nil saves nothing
	Profile string
	// Lifetime is the longest that Client.Chat may take, all attempts together.
	Lifetime time.Duration
	// Journalled, if not nil, is called when the question is committed, before it
	// is sent. It is not called when nothing is saved.
	Journalled func(turn history.Turn)
}

// Question is what a user asks.
type Question struct {
	Text    string
	AgentID string // UUID, or empty when the service chooses
	// Conversation is continued below its head; nil opens a new one.
	Conversation *history.Conversation
	// Parent, if not nil, is the turn to continue below in place of the head;
	// an empty one begins at the root again.
	Parent *string
	Title  string // of a new conversation
	// Earlier is the context when nothing is saved and Conversation is nil.
	Earlier []history.Turn
	Context Limits
}

// Limits bound the context. Whole turns are left out, the oldest first.
type Limits struct {
	None   bool // send no context at all
	Turns  int  // most turns, 0 for all
	Tokens int  // most estimated tokens, 0 for all
}

// Plan is what a question sends.
type Plan struct {
	Request api.Request
	Left    int // answered turns of the conversation that are left out
}

// Answer is what came back.
type Answer struct {
	Reply        api.Reply
	Conversation string // local ids, empty when nothing is saved
	Turn         string
	Parent       string
	Started      time.Time
	Elapsed      time.Duration
	Branch       history.Branch
	Left         int
	// SaveErr says why the answer could not be recorded although it came; the
	// question stands in the history as pending. Show the answer all the same.
	SaveErr error

	turn history.Turn
}

// Plan builds the request of a question: the path from the root to the head,
// answered turns only, then the question.
func (a Asker) Plan(ctx context.Context, q Question) (Plan, error) {
	var plan Plan
	plan.Request.AgentID = q.AgentID
	if !q.Context.None {
		earlier, left, err := a.context(ctx, q)
		if err != nil {
			return Plan{}, err
		}
		plan.Request.Messages, plan.Left = earlier, left
	}
	plan.Request.Messages = append(plan.Request.Messages, api.Message{Role: api.RoleUser, Content: q.Text})
	return plan, nil
}

func (a Asker) context(ctx context.Context, q Question) ([]api.Message, int, error) {
	considered, err := a.Consider(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	var messages []api.Message
	left := 0
	for _, c := range considered {
		if c.Left != "" {
			left++
			continue
		}
		messages = append(messages, api.Message{Role: api.RoleUser, Content: c.Turn.Question}, api.Message{Role: api.RoleAssistant, Content: c.Turn.Reply})
	}
	return messages, left, nil
}

// parent is the turn that a question follows.
func (q Question) parent() string {
	switch {
	case q.Parent != nil:
		return *q.Parent
	case q.Conversation != nil:
		return q.Conversation.Head
	}
	return ""
}

// Ask commits the question, sends it and commits the answer, then returns it.
//
// Errors: *JournalError when nothing was sent because the question could not be
// kept, *FailedError when it was tried and got no answer, others from building
// the request.
func (a Asker) Ask(ctx context.Context, q Question) (Answer, error) {
	return a.ask(ctx, q, func() (history.Turn, error) { return a.journal(ctx, q) })
}

func (a Asker) ask(ctx context.Context, q Question, journal func() (history.Turn, error)) (Answer, error) {
	plan, err := a.Plan(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Started: time.Now(), Left: plan.Left}
	var turn history.Turn
	if a.History != nil {
		if turn, err = journal(); err != nil {
			return Answer{}, &JournalError{Err: err}
		}
		answer.Conversation, answer.Turn, answer.Parent, answer.turn = turn.Conversation, turn.ID, turn.Parent, turn
		if a.Journalled != nil {
			a.Journalled(turn)
		}
	}
	reply, err := a.Client.Chat(ctx, plan.Request, turn.ID)
	answer.Elapsed = time.Since(answer.Started)
	if err != nil {
		return answer, a.failed(ctx, turn, err)
	}
	answer.Reply = reply
	if a.History != nil {
		answer.Branch, answer.SaveErr = a.record(ctx, turn, reply)
	}
	return answer, nil
}

// Save tries once more to record an answer whose SaveErr is set.
func (a Asker) Save(ctx context.Context, answer *Answer) error {
	answer.Branch, answer.SaveErr = a.record(ctx, answer.turn, answer.Reply)
	return answer.SaveErr
}

func (a Asker) journal(ctx context.Context, q Question) (history.Turn, error) {
	question := history.Question{Title: q.Title, Profile: a.Profile, AgentID: q.AgentID, Text: q.Text, Lifetime: a.Lifetime}
	if q.Conversation != nil {
		question.Conversation, question.Parent = q.Conversation.ID, q.parent()
	}
	return a.History.Begin(ctx, question)
}

// Resend asks the question of an unanswered turn again, under the same id, in
// the place of the tree where it stands. Errors are those of Ask.
func (a Asker) Resend(ctx context.Context, turn history.Turn, limits Limits) (Answer, error) {
	q := Question{Text: turn.Question, AgentID: turn.AgentID, Conversation: &history.Conversation{ID: turn.Conversation}, Parent: &turn.Parent, Context: limits}
	return a.ask(ctx, q, func() (history.Turn, error) { return a.History.Retry(ctx, turn, a.Lifetime) })
}

// record writes the answer even when the caller was cancelled meanwhile: it is here.
func (a Asker) record(ctx context.Context, turn history.Turn, reply api.Reply) (history.Branch, error) {
	service := history.Service{
		ID: bounded(reply.ID), ConversationID: bounded(reply.ConversationID), Model: bounded(reply.Model),
		FinishReason: bounded(reply.FinishReason), Response: reply.Raw,
	}
	if u := reply.Usage; u != nil && counts(u.PromptTokens, u.CompletionTokens, u.TotalTokens) {
		service.Usage = &history.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.TotalTokens}
	}
	return a.History.Answer(context.WithoutCancel(ctx), turn, reply.Text, service)
}

// counts reports whether all numbers of tokens can be such.
func counts(numbers ...int64) bool {
	for _, n := range numbers {
		if n < 0 || n > history.MaxTokens {
			return false
		}
	}
	return true
}

// maxName bounds, in bytes, what the service may call a thing; the response keeps
// the whole.
const maxName = 4 << 10

func bounded(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}

// failed records the state that the error proves, unless the turn was sent before
// and may have been accepted then.
func (a Asker) failed(ctx context.Context, turn history.Turn, err error) error {
	failure := &FailedError{State: history.Failed, Conversation: turn.Conversation, Turn: turn.ID, Err: err}
	var body []byte
	var e *api.Error
	if errors.As(err, &e) {
		body = e.Body
		if e.MaybeAccepted {
			failure.State = history.Unknown
		}
	}
	if a.History != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
		defer cancel()
		failure.State, failure.RecordErr = a.History.Fail(ctx, turn, failure.State, err.Error(), body)
	}
	return failure
}
