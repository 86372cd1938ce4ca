package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/api"
)

// maxBody is the maximum number of bytes in a request: a prompt of 10 MiB, context of
// several times that size, and the overhead of JSON.
const maxBody = 64 << 20

// chat answers POST /api/v1/chat (interface, section 4.1).
func (h *handler) chat(w http.ResponseWriter, r *http.Request) {
	request, failure := readRequest(w, r)
	if failure != nil {
		writeError(w, failure.status, failure.code, failure.message)
		return
	}
	answerer, ok := h.agent(request.AgentID)
	if !ok {
		writeError(w, http.StatusNotFound, "agent_not_found", fmt.Sprintf("agent %s not found", request.AgentID))
		return
	}
	messages := make([]agent.Message, len(request.Messages))
	for i, m := range request.Messages {
		messages[i] = agent.Message{Role: m.Role, Content: m.Content}
	}
	answer, err := answerer.Complete(r.Context(), messages)
	if err != nil {
		h.Report(fmt.Errorf("agent %s: %w", answerer.Name, err))
		writeError(w, http.StatusBadGateway, "agent_failed", "the agent could not answer")
		return
	}
	created := seconds(time.Now())
	conversation := Conversation{ID: uuid.NewString(), AgentID: answerer.ID, Title: title(request.Messages), Created: created}
	if err := h.Store.Create(r.Context(), h.Client, conversation); err != nil {
		h.Report(err)
		writeError(w, http.StatusInternalServerError, "internal", "the conversation could not be stored")
		return
	}
	writeJSON(w, http.StatusOK, api.Completion{
		ID:             uuid.NewString(),
		ConversationID: conversation.ID,
		Object:         "chat.completion",
		Created:        json.Number(strconv.FormatFloat(created, 'f', -1, 64)),
		Model:          answer.Model,
		Choices: []api.Choice{{
			Message:      api.Message{Role: api.RoleAssistant, Content: answer.Content},
			Index:        0,
			FinishReason: "stop",
		}},
		Usage: &api.Usage{
			PromptTokens:     answer.PromptTokens,
			CompletionTokens: answer.CompletionTokens,
			TotalTokens:      answer.PromptTokens + answer.CompletionTokens,
		},
	})
}

// requestError is the error of an invalid request.
type requestError struct {
	status        int
	code, message string
}

func invalid(format string, args ...any) *requestError {
	return &requestError{http.StatusBadRequest, "invalid_request", fmt.Sprintf(format, args...)}
}

// readRequest reads and validates a request.
func readRequest(w http.ResponseWriter, r *http.Request) (api.Request, *requestError) {
	var request api.Request
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return request, &requestError{http.StatusUnsupportedMediaType, "unsupported_media_type", "the body must have the Content-Type application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return request, &requestError{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the body is larger than %d MiB", maxBody>>20)}
	case err != nil:
		return request, invalid("cannot read the body")
	case !utf8.Valid(body):
		return request, invalid("the body is not valid UTF-8")
	}
	if err := json.Unmarshal(body, &request); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) && kind.Field != "" {
			return request, invalid("%s cannot be a %s", kind.Field, kind.Value)
		}
		return request, invalid("the body is not a JSON object with messages")
	}
	return request, validate(request)
}

// validate checks a request against section 2 of the interface. The last message must
// be the user's, because it is the one that is answered.
func validate(request api.Request) *requestError {
	if len(request.Messages) == 0 {
		return invalid("messages must not be empty")
	}
	for i, m := range request.Messages {
		if m.Role != api.RoleUser && m.Role != api.RoleAssistant {
			return invalid("messages[%d].role must be user or assistant", i)
		}
		if m.Content == "" {
			return invalid("messages[%d].content must not be empty", i)
		}
	}
	if last := len(request.Messages) - 1; request.Messages[last].Role != api.RoleUser {
		return invalid("messages[%d].role must be user, because it is the last message", last)
	}
	if id := request.AgentID; id != "" && (len(id) != 36 || uuid.Validate(id) != nil) {
		return invalid("agentId must be a UUID")
	}
	return nil
}

func (h *handler) agent(id string) (Agent, bool) {
	if id == "" && len(h.Agents) > 0 {
		return h.Agents[0], true
	}
	i := slices.IndexFunc(h.Agents, func(a Agent) bool { return strings.EqualFold(a.ID, id) })
	if i < 0 {
		return Agent{}, false
	}
	return h.Agents[i], true
}

// titleRunes is the maximum number of runes in the title of a conversation.
const titleRunes = 80

// title returns the beginning of the first question on one line: the message before the
// first reply, which instructions may precede.
func title(messages []api.Message) string {
	first := slices.IndexFunc(messages, func(m api.Message) bool { return m.Role == api.RoleAssistant })
	if first < 0 {
		first = len(messages)
	}
	head := messages[max(first-1, 0)].Content
	head = head[:min(len(head), 8*titleRunes)]
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(head, "")), " "))
	return string(runes[:min(len(runes), titleRunes)])
}

// seconds returns a Unix timestamp with a fraction, in microseconds, the resolution
// of a float64. It adds a microsecond to a full second, because the interface requires
// a fraction.
func seconds(t time.Time) float64 {
	micros := t.UnixMicro()
	if micros%1_000_000 == 0 {
		micros++
	}
	return float64(micros) / 1e6
}
