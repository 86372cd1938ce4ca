// Package api is the client of the Agent Chat Service: the types of the interface,
// its two operations, and typed errors. It implements time limits, size limits,
// redirects and retries, parses replies strictly and listings leniently, and
// separates requests that were certainly not accepted from those that may have
// been.
//
// If the service sends the token back, this package masks it: in replies and
// listings if it has at least 16 characters, because a shorter one may be a word,
// and in errors and the log if it has at least 4. It recognizes the token in plain
// text, percent-encoded and with JSON escapes. All other text is returned unchanged
// and must be filtered by package terminal before it is shown.
package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"
)

// The roles of a message (interface, section 2).
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Limits in bytes; the interface defines none.
const (
	// MaxReply is the maximum size of a reply or listing after decompression.
	MaxReply = 16 << 20
	// MaxErrorBody is the maximum number of bytes read from the body of an error.
	MaxErrorBody = 64 << 10
	// MaxPrompt is the maximum size of the last message of a request. Earlier
	// messages may be replies and are not limited.
	MaxPrompt = 10 << 20
)

// Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request is the body of a chat request: the messages, oldest first, and the UUID
// of the agent, which is omitted if empty.
type Request struct {
	Messages []Message `json:"messages"`
	AgentID  string    `json:"agentId,omitempty"`
}

// Encode returns the exact bytes to send: compact JSON without HTML escapes and
// without a trailing newline. A message with invalid UTF-8 is an error, because
// encoding/json would silently change it.
func (r Request) Encode() ([]byte, error) {
	for i, m := range r.Messages {
		if !utf8.ValidString(m.Content) || !utf8.ValidString(m.Role) {
			return nil, fmt.Errorf("messages[%d] is not valid UTF-8", i)
		}
	}
	if !utf8.ValidString(r.AgentID) {
		return nil, errors.New("agentId is not valid UTF-8")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// validate refuses requests that the service would refuse: those without messages,
// with an unknown role, with an agent that is not a UUID in the form of RFC 9562,
// or with a prompt larger than MaxPrompt.
func (r Request) validate() error {
	if len(r.Messages) == 0 {
		return &ConfigError{Setting: "messages", Err: errors.New("no message to send")}
	}
	for i, m := range r.Messages {
		if m.Role != RoleUser && m.Role != RoleAssistant {
			return &ConfigError{Setting: "messages", Err: fmt.Errorf("messages[%d] has the role %q, want user or assistant", i, m.Role)}
		}
	}
	if size := len(r.Messages[len(r.Messages)-1].Content); size > MaxPrompt {
		return &ConfigError{Setting: "messages", Err: fmt.Errorf("the prompt has %d bytes, more than the limit of %d MiB", size, MaxPrompt>>20)}
	}
	// uuid.Parse also accepts braces, URNs and 32 digits without hyphens.
	if _, err := uuid.Parse(r.AgentID); r.AgentID != "" && (err != nil || len(r.AgentID) != 36) {
		return &ConfigError{Setting: "agent", Err: fmt.Errorf("the agent %q is not a UUID", r.AgentID)}
	}
	return nil
}

// Usage counts the tokens of the model.
type Usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

// Choice is one answer of a completion.
type Choice struct {
	Message      Message `json:"message"`
	Index        int     `json:"index"`
	FinishReason string  `json:"finish_reason"`
}

// Completion is the response to a chat request. Created is in seconds since 1970,
// with the digits that the service sent. Usage is nil if the service sent none.
type Completion struct {
	ID             string      `json:"id"`
	ConversationID string      `json:"conversation_id"`
	Object         string      `json:"object"`
	Created        json.Number `json:"created"`
	Model          string      `json:"model"`
	Choices        []Choice    `json:"choices"`
	Usage          *Usage      `json:"usage,omitempty"`
}

// Reply is a valid completion. Text is the content of the choice with index 0 and
// is never blank. FinishReason belongs to the same choice; if it is not "stop", the
// text may be incomplete. Raw is the body as received, with the token masked.
// Attempts is the number of requests sent.
type Reply struct {
	Completion
	Text         string
	FinishReason string
	Raw          []byte
	Attempts     int
}
