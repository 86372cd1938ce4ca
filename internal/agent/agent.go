// Package agent owns who answers inside the embedded service: the table of its
// agents, with one file for each of them. An agent turns a list of messages into
// one answer. It must not know HTTP, tokens, storage or the terminal, and it keeps
// nothing between two calls: whatever an answer depends on is in the messages.
package agent

import (
	"context"
	"errors"
)

// Message is one message of a conversation. Role is "user" or "assistant", as
// section 2 of the service interface has it; messages of another role are
// passed over. Content may hold any bytes.
type Message struct{ Role, Content string }

// Answer is what an agent says to a list of messages, with the name of the
// model that said it and the tokens of both sides. The token counts are
// estimates of about four bytes a token, the same for every agent here that
// has no model of its own to count them.
type Answer struct {
	Content, Model                 string
	PromptTokens, CompletionTokens int64
}

// Agent answers conversations. Messages come oldest first and the question is
// the last one from the user. An Agent may be used from several goroutines.
type Agent interface {
	// Complete answers messages. It returns ErrNoQuestion when no message is
	// from the user, and the error of ctx when that has ended.
	Complete(ctx context.Context, messages []Message) (Answer, error)
}

// ErrNoQuestion says that a list of messages holds none from the user.
var ErrNoQuestion = errors.New("no message from the user to answer")

// Builtin is an agent that every embedded service has.
type Builtin struct {
	Name string // the alias of the agent in the profile "local"
	ID   string // its UUID, lower case
	New  func() (Agent, error)
}

// Builtins is the table of agents. The first answers when a request names none.
func Builtins() []Builtin {
	return []Builtin{
		{"guide", GuideID, newGuide},
		{"echo", EchoID, newEcho},
	}
}

// BuiltinIDs returns the UUIDs of the table by name.
func BuiltinIDs() map[string]string {
	ids := map[string]string{}
	for _, b := range Builtins() {
		ids[b.Name] = b.ID
	}
	return ids
}

// local is an agent without a model behind it: what it answers follows from the
// questions of the user alone.
type local struct {
	model  string
	answer func(questions []string) string // questions has at least one, the last is to be answered
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
	a.Content = l.answer(questions)
	a.CompletionTokens = tokens(a.Content)
	return a, nil
}

// tokens estimates the tokens of a text from its bytes, rounded up. Bytes, not
// characters: a CJK character costs a model about as much as a short word.
func tokens(text string) int64 { return (int64(len(text)) + 3) / 4 }
