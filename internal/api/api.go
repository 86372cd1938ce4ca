// Package api is the wire between hobnob and the Agent Chat Service: the types
// of the interface, a client for its two operations, and errors that say what
// became of a request. It owns the rules for addresses, time limits, sizes,
// redirects, retries, strict reading of replies and tolerant reading of
// listings, so that every caller can tell a request that was certainly not
// accepted from one that may have been.
//
// It must not know where a token or a setting comes from, what a local
// conversation is, or how an error is shown.
//
// A token that the service sends back is masked in what this package hands on:
// one of at least 16 characters in replies and listings, where a shorter one
// may be a word, and one of at least 4 in errors and in the log. It is found
// written plainly, percent-encoded or escaped as in JSON, and in no other
// encoding. All else is untouched: it is hostile for a terminal until package
// terminal has filtered it.
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

// Limits in bytes. The interface names none.
const (
	// MaxReply bounds the body of a reply or a listing after decompression.
	MaxReply = 16 << 20
	// MaxErrorBody bounds what is read of the body of an error.
	MaxErrorBody = 64 << 10
	// MaxPrompt bounds the last message of a request. Earlier messages may be
	// replies and are not bounded here.
	MaxPrompt = 10 << 20
)

// Message is one message of the conversation, as sent and as received.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request is the body of a chat request: the context, oldest message first, and
// the agent's UUID, left out when it is empty.
type Request struct {
	Messages []Message `json:"messages"`
	AgentID  string    `json:"agentId,omitempty"`
}

// Encode returns exactly the bytes that are sent: compact JSON without HTML
// escapes and without a newline at the end. A message that is not valid UTF-8
// is an error, because JSON would silently send another text.
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

// validate refuses what the service would have to refuse: no messages, an
// unknown role, an agent that is no UUID in the form of RFC 9562, a prompt
// larger than MaxPrompt.
func (r Request) validate() error {
	if len(r.Messages) == 0 {
		return &ConfigError{Setting: "messages", Err: errors.New("there is no message to send")}
	}
	for i, m := range r.Messages {
		if m.Role != RoleUser && m.Role != RoleAssistant {
			return &ConfigError{Setting: "messages", Err: fmt.Errorf("messages[%d] has the role %q, want user or assistant", i, m.Role)}
		}
	}
	if size := len(r.Messages[len(r.Messages)-1].Content); size > MaxPrompt {
		return &ConfigError{Setting: "messages", Err: fmt.Errorf("the prompt has %d bytes, more than the limit of %d MiB", size, MaxPrompt>>20)}
	}
	// uuid.Parse also reads braces, a URN and 32 bare digits.
	if _, err := uuid.Parse(r.AgentID); r.AgentID != "" && (err != nil || len(r.AgentID) != 36) {
		return &ConfigError{Setting: "agent", Err: fmt.Errorf("the agent %q is not a UUID", r.AgentID)}
	}
	return nil
}

// Usage counts tokens of the model, not bearer tokens.
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

// Completion is the body that answers a chat request. Created is the number of
// seconds since 1970, kept digit by digit as the service wrote it; Usage is nil
// when the service did not say.
type Completion struct {
	ID             string      `json:"id"`
	ConversationID string      `json:"conversation_id"`
	Object         string      `json:"object"`
	Created        json.Number `json:"created"`
	Model          string      `json:"model"`
	Choices        []Choice    `json:"choices"`
	Usage          *Usage      `json:"usage,omitempty"`
}

// Reply is a valid completion. Text is the content of
// the choice with index 0 and never blank; FinishReason belongs to the same
// choice, and anything but "stop" means that the text may be incomplete. Raw is
// the body as received but for a masked token, and Attempts counts the requests
// made.
type Reply struct {
	Completion
	Text         string
	FinishReason string
	Raw          []byte
	Attempts     int
}
