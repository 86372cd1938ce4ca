// Package agent owns who answers inside the embedded service: echo, which
// repeats the question, and guide, which answers from the manual. An agent
// turns a list of messages into one answer. It must not know HTTP, tokens,
// storage or the terminal, and it keeps nothing between two calls: whatever
// an answer depends on is in the messages.
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

// answer wraps content with the estimated tokens of both sides.
func answer(model, content string, messages []Message) Answer {
	a := Answer{Content: content, Model: model, CompletionTokens: tokens(content)}
	for _, m := range messages {
		a.PromptTokens += tokens(m.Content)
	}
	return a
}

// tokens estimates the tokens of a text from its bytes, rounded up. Bytes, not
// characters: a CJK character costs a model about as much as a short word.
func tokens(text string) int64 { return (int64(len(text)) + 3) / 4 }

// userMessages returns the contents of the messages from the user.
func userMessages(messages []Message) []string {
	var contents []string
	for _, m := range messages {
		if m.Role == "user" {
			contents = append(contents, m.Content)
		}
	}
	return contents
}
