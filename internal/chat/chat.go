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
	"github.com/hobnob-cli/hobnob/internal/failure"
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
	Client Sender
	// History records the questions and answers; one of history.OpenUnsaved keeps
	// them for the life of the process.
	History *history.Store
	Profile string
	// Lifetime is the longest that Client.Chat may take, all attempts together.
	Lifetime time.Duration
	// Journalled, if not nil, is called when the question is committed, before it
	// is sent.
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
	Parent  *string
	Title   string // of a new conversation
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
	Conversation string // local ids
	Turn         string
	Parent       string
	Started      time.Time
	Elapsed      time.Duration
	Branch       history.Branch
	Left         int
	// Saved says that the answer is in a history that outlives the process.
	Saved bool
	// SaveErr says why the answer could not be recorded although it came; the
	// question is in the history as pending. Show the answer all the same.
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
	turn, err := journal()
	if err != nil {
		return Answer{}, &JournalError{Err: err}
	}
	answer.Conversation, answer.Turn, answer.Parent, answer.turn = turn.Conversation, turn.ID, turn.Parent, turn
	if a.Journalled != nil {
		a.Journalled(turn)
	}
	key := turn.ID
	if !a.History.Saved() {
		key = "" // no turn from which it could be sent again
	}
	reply, err := a.Client.Chat(ctx, plan.Request, key)
	answer.Elapsed = time.Since(answer.Started)
	if err != nil {
		return answer, a.failed(ctx, turn, err)
	}
	answer.Reply = reply
	_ = a.Save(ctx, &answer)
	return answer, nil
}

// Save records an answer, for Ask or again when its SaveErr is set.
func (a Asker) Save(ctx context.Context, answer *Answer) error {
	answer.Branch, answer.SaveErr = a.record(ctx, answer.turn, answer.Reply)
	answer.Saved = answer.SaveErr == nil && a.History.Saved()
	return answer.SaveErr
}

const (
	// An answer that a background process cannot record is not shown, so that it
	// tries for longer than one in front of a terminal.
	saveAttempts = 60
	savePace     = 5 * time.Second
)

// SaveLater records an answer whose SaveErr is set, trying for five minutes.
func (a Asker) SaveLater(ctx context.Context, answer *Answer) error {
	pace := time.NewTicker(savePace)
	defer pace.Stop()
	for range saveAttempts {
		select {
		case <-ctx.Done():
			return answer.SaveErr
		case <-pace.C:
		}
		if a.Save(ctx, answer) == nil {
			return nil
		}
	}
	return answer.SaveErr
}

// Lifetime is longer than everything that a client may do for one question:
// connecting and one attempt, again for each retry, and waiting in between.
func Lifetime(timeout time.Duration, retries int) time.Duration {
	return (timeout+time.Minute)*time.Duration(retries+1) + 2*time.Minute
}

func (a Asker) journal(ctx context.Context, q Question) (history.Turn, error) {
	question := history.Question{Title: q.Title, Profile: a.Profile, AgentID: q.AgentID, Text: q.Text, Lifetime: a.Lifetime}
	if q.Conversation != nil {
		question.Conversation, question.Parent = q.Conversation.ID, q.parent()
	}
	return a.History.Begin(ctx, question)
}

// Resend asks the question of an unanswered turn again, under the same id, in
// its place in the tree. Errors are those of Ask.
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
	failed, why := &FailedError{State: history.Failed, Err: err}, failure.Of(err)
	var body []byte
	var e *api.Error
	if errors.As(err, &e) {
		body = e.Body
		if e.MaybeAccepted {
			failed.State = history.Unknown
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	failed.State, failed.RecordErr = a.History.Fail(ctx, turn, failed.State, history.Failure{Kind: why.Kind, Status: why.Status, Text: err.Error()}, body)
	if a.History.Saved() {
		failed.Conversation, failed.Turn = turn.Conversation, turn.ID
	}
	return failed
}

// Unsaved returns the question as it is asked where nothing may be written: the
// context that it has in the saved history goes into one in memory, which
// becomes the asker's.
func (a *Asker) Unsaved(ctx context.Context, q Question, memory *history.Store) (Question, error) {
	considered, err := a.Consider(ctx, q)
	a.History = memory
	if err != nil || q.Conversation == nil {
		return q, err
	}
	tree := history.Tree{Conversation: *q.Conversation}
	tree.Conversation.Head = ""
	for _, c := range considered {
		if c.Left == "" {
			turn := c.Turn
			turn.Parent = tree.Conversation.Head
			tree.Conversation.Head, tree.Turns = turn.ID, append(tree.Turns, turn)
		}
	}
	q.Conversation, q.Parent = nil, nil
	if len(tree.Turns) == 0 {
		return q, nil
	}
	one := func(yield func(history.Tree, error) bool) { yield(tree, nil) }
	if _, err := memory.Import(ctx, one, tree.Conversation.Profile); err != nil {
		return q, err
	}
	found, err := memory.Find(ctx, tree.Conversation.ID)
	q.Conversation = &found
	return q, err
}
