// Package agent contains the agents of the embedded service, one file each. An agent
// turns a list of messages into one answer. It must not import HTTP, tokens, storage
// or the terminal. It has no state between calls: an answer depends only on the
// messages.
package agent

import (
	"context"
	"errors"
)

// Message is one message of a conversation. Role is "user" or "assistant" (section 2
// of the service interface); messages with other roles are ignored. Content may
// contain any bytes.
type Message struct{ Role, Content string }

// Answer is an agent's answer to a list of messages, with the name of the model and
// the tokens of both sides. All agents here estimate about four bytes per token,
// because they have no model to count them.
type Answer struct {
	Content, Model                 string
	PromptTokens, CompletionTokens int64
}

// Agent answers conversations. Messages are in order, oldest first, and the question
// is the last one from the user. An Agent is safe for concurrent use.
type Agent interface {
	// Complete answers messages. It returns ErrNoQuestion if no message is from the
	// user, and the error of ctx if ctx is done.
	Complete(ctx context.Context, messages []Message) (Answer, error)
}

// ErrNoQuestion means that no message is from the user.
var ErrNoQuestion = errors.New("no message from the user to answer")

// Builtin is an agent of every embedded service.
type Builtin struct {
	Name string // the alias of the agent in the profile "local"
	ID   string // its UUID, lower case
	New  func() (Agent, error)
}

// Builtins returns the built-in agents. The first one answers requests that name no
// agent.
func Builtins() []Builtin {
	return []Builtin{
		{"guide", GuideID, newGuide},
		{"echo", EchoID, newEcho},
	}
}

// BuiltinIDs returns the UUIDs of the built-in agents by name.
func BuiltinIDs() map[string]string {
	ids := map[string]string{}
	for _, b := range Builtins() {
		ids[b.Name] = b.ID
	}
	return ids
}

// local is an agent without a model. Its answers depend only on the user's questions.
type local struct {
	model  string
	answer func(questions []string) (string, error) // answers the last of one or more questions
}

func (l local) Complete(ctx context.Context, messages []Message) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	var questions []string
	a := Answer{Model: l.model}
	for _, m := range messages {
		if m.Role == "user" {
			questions = append(questions, m.Content)
		}
		a.PromptTokens += tokens(m.Content)
	}
	if len(questions) == 0 {
		return Answer{}, ErrNoQuestion
	}
	content, err := l.answer(questions)
	if err != nil {
		return Answer{}, err
	}
	a.Content = content
	a.CompletionTokens = tokens(a.Content)
	return a, nil
}

// tokens estimates the number of tokens in a text from its bytes, rounded up.
// Characters would be wrong: a CJK character takes about as many tokens as a short
// word.
func tokens(text string) int64 { return (int64(len(text)) + 3) / 4 }
