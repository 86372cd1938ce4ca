// Package chat exchanges questions and answers with the service. It builds the
// context of a question, commits the question to the history, sends it and records
// the outcome, in this order, so that no question or answer is lost and the state of
// every turn is correct. It does not depend on commands or the terminal: the caller
// prints the answer after Ask has returned.
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

// recordTimeout bounds the write of a failure, which may follow a Ctrl-C and must
// not delay the exit. The write of an answer waits for the database as long as needed.
const recordTimeout = time.Second

// Sender sends requests to the service. *api.Client implements it.
type Sender interface {
	Chat(ctx context.Context, request api.Request, id string) (api.Reply, error)
}

// Asker asks questions for one profile.
type Asker struct {
	Client Sender
	// History records the questions and answers. A store of history.OpenUnsaved
	// holds them only until the process exits.
	History *history.Store
	Profile string
	// Lifetime is the maximum duration of Client.Chat, including all retries.
	Lifetime time.Duration
	// Journalled, if not nil, is called after the question is committed and before
	// it is sent.
	Journalled func(turn history.Turn)
}

// Question is a question of the user.
type Question struct {
	Text    string
	AgentID string // UUID, or empty to let the service choose
	// Conversation is the conversation to continue. Nil starts a new one.
	Conversation *history.Conversation
	// Parent, if not nil, is the turn that the question follows instead of the head.
	// If empty, the question starts a new branch at the root.
	Parent *string
	Title  string // of a new conversation
	// Instructions are those of a new conversation. If not nil, they replace those of
	// an existing one.
	Instructions *history.Instructions
	Context      Limits
	// Keep is the number of turns directly before the question that are part of its
	// context in spite of the limits.
	Keep int
}

// Limits bound the context. Only whole turns are omitted, the oldest first.
type Limits struct {
	None   bool // send no context
	Turns  int  // maximum number of turns, 0 for all
	Tokens int  // maximum number of estimated tokens, 0 for all
}

// Plan is the request that a question sends.
type Plan struct {
	Request api.Request
	Left    int // number of answered turns omitted from the context
	// Instructions are in the first message, if they have a text, with their estimated
	// number of tokens.
	Instructions       history.Instructions
	InstructionsTokens int
}

// Answer is the answer to a question.
type Answer struct {
	Reply        api.Reply
	Conversation string // Conversation, Turn and Parent are local ids
	Turn         string
	Parent       string
	Started      time.Time
	Elapsed      time.Duration
	Branch       history.Branch
	Left         int // as in Plan
	// Document is the JSON document in the reply, and Attempts the number of replies, if
	// the question asked for JSON that fits a schema.
	Document string
	Attempts int
	// Saved reports whether the answer is in a history that outlives the process.
	Saved bool
	// SaveErr is the error of recording the answer, if it failed. The answer is valid
	// and should be shown; in the history, the question is pending.
	SaveErr error

	turn history.Turn
}

// Plan builds the request of a question: the instructions, the turns of Consider that
// are not omitted, then the question.
func (a Asker) Plan(ctx context.Context, q Question) (Plan, error) {
	if q.Context.None && q.Keep == 0 {
		q.Parent = new(string) // no turn is before the root
	}
	considered, err := a.Consider(ctx, q)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Instructions: considered.Instructions, InstructionsTokens: considered.InstructionsTokens}
	plan.Request.AgentID = q.AgentID
	add := func(role, text string) {
		plan.Request.Messages = append(plan.Request.Messages, api.Message{Role: role, Content: text})
	}
	if text := considered.Instructions.Text; text != "" {
		add(api.RoleUser, text)
	}
	for _, c := range considered.Turns {
		if c.Left != "" {
			plan.Left++
			continue
		}
		add(api.RoleUser, c.Turn.Question)
		add(api.RoleAssistant, c.Turn.Reply)
	}
	add(api.RoleUser, q.Text)
	return plan, nil
}

// parent returns the id of the turn that q follows, or "" for the root.
func (q Question) parent() string {
	switch {
	case q.Parent != nil:
		return *q.Parent
	case q.Conversation != nil:
		return q.Conversation.Head
	}
	return ""
}

// Ask commits the question, sends it, commits the answer and returns it.
//
// The error is a *JournalError if the question could not be committed and was not
// sent, a *FailedError if the question got no answer, and another one if the request
// could not be built.
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
		key = "" // it cannot be resent later
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

// Save records an answer and sets Branch, Saved and SaveErr. Ask calls it; callers
// may retry it while SaveErr is set.
func (a Asker) Save(ctx context.Context, answer *Answer) error {
	answer.Branch, answer.SaveErr = a.record(ctx, answer.turn, answer.Reply)
	answer.Saved = answer.SaveErr == nil && a.History.Saved()
	return answer.SaveErr
}

const (
	// A background process cannot show an answer that it fails to record, so it
	// retries for longer than a process with a terminal.
	saveAttempts = 60
	saveInterval = 5 * time.Second
)

// SaveLater retries Save for up to five minutes. It returns the last error.
func (a Asker) SaveLater(ctx context.Context, answer *Answer) error {
	ticker := time.NewTicker(saveInterval)
	defer ticker.Stop()
	for range saveAttempts {
		select {
		case <-ctx.Done():
			return answer.SaveErr
		case <-ticker.C:
		}
		if a.Save(ctx, answer) == nil {
			return nil
		}
	}
	return answer.SaveErr
}

// Lifetime returns an upper bound on the time that a client spends on one question:
// connecting, the attempt, its retries and the one with a renewed token, and the delays
// between them.
func Lifetime(timeout time.Duration, retries int) time.Duration {
	return (timeout+time.Minute)*time.Duration(retries+2) + 2*time.Minute
}

func (a Asker) journal(ctx context.Context, q Question) (history.Turn, error) {
	question := history.Question{Title: q.Title, Profile: a.Profile, AgentID: q.AgentID, Text: q.Text, Instructions: q.Instructions, Lifetime: a.Lifetime}
	if q.Conversation != nil {
		question.Conversation, question.Parent = q.Conversation.ID, q.parent()
	}
	return a.History.Begin(ctx, question)
}

// Resend sends the question of an unanswered turn again, with the same id and parent.
// Its errors are those of Ask.
func (a Asker) Resend(ctx context.Context, turn history.Turn, limits Limits) (Answer, error) {
	q := Question{Text: turn.Question, AgentID: turn.AgentID, Conversation: &history.Conversation{ID: turn.Conversation}, Parent: &turn.Parent, Context: limits}
	return a.ask(ctx, q, func() (history.Turn, error) { return a.History.Retry(ctx, turn, a.Lifetime) })
}

// record commits the answer, even if ctx has been cancelled.
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

// counts reports whether all numbers are plausible numbers of tokens.
func counts(numbers ...int64) bool {
	for _, n := range numbers {
		if n < 0 || n > history.MaxTokens {
			return false
		}
	}
	return true
}

// maxName is the maximum size of an id or name from the service, in bytes. The saved
// response contains it in full.
const maxName = 4 << 10

func bounded(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}

// failed records the outcome of a question without an answer and returns it as a
// *FailedError. The outcome stays unknown if an earlier attempt may have been accepted.
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

// Unsaved makes memory the history of a and returns q for it. It copies the context of
// the question from the saved history to memory.
func (a *Asker) Unsaved(ctx context.Context, q Question, memory *history.Store) (Question, error) {
	considered, err := a.Consider(ctx, q)
	a.History = memory
	if err != nil || q.Conversation == nil {
		return q, err
	}
	q.Instructions = &considered.Instructions
	tree := history.Tree{Conversation: *q.Conversation}
	tree.Conversation.Head = ""
	for _, c := range considered.Turns {
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
	trees := func(yield func(history.Tree, error) bool) { yield(tree, nil) }
	if _, err := memory.Import(ctx, trees, tree.Conversation.Profile); err != nil {
		return q, err
	}
	found, err := memory.Find(ctx, tree.Conversation.ID)
	q.Conversation = &found
	return q, err
}
