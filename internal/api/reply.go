package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// readReply parses the body of a completion (interface, section 2). It is strict
// where an error could hide or change an answer: the JSON, the types, the choice
// and its message. All other fields may be missing, and unknown ones are ignored.
func readReply(body []byte) (Reply, error) {
	if err := checkJSON(body); err != nil {
		return Reply{}, notJSON(body, err)
	}
	var d decoder
	root := value{raw: json.RawMessage(bytes.TrimSpace(body))}
	if root.kind() != "an object" {
		return Reply{}, fmt.Errorf("the body is %s, want an object", root.kind())
	}
	fields := d.object(root)
	reply := Reply{Raw: body, Completion: Completion{
		ID:             d.text(fields.at("id")),
		ConversationID: d.text(fields.at("conversation_id")),
		Object:         d.text(fields.at("object")),
		Created:        d.number(fields.at("created")),
		Model:          d.text(fields.at("model")),
		Usage:          d.usage(fields.at("usage")),
	}}
	chosen := -1
	for i, v := range d.array(fields.at("choices")) {
		choice := d.choice(v, i)
		reply.Choices = append(reply.Choices, choice)
		if chosen < 0 && choice.Index == 0 {
			chosen = i
		}
	}
	if d.err != nil {
		return Reply{}, d.err
	}
	if len(reply.Choices) == 0 {
		return Reply{}, errors.New("choices is missing or empty")
	}
	chosen = max(0, chosen)
	answer, path := reply.Choices[chosen], fmt.Sprintf("choices[%d].message", chosen)
	switch {
	case answer.Message == (Message{}):
		return Reply{}, fmt.Errorf("%s is missing or empty", path)
	case answer.Message.Role != RoleAssistant:
		return Reply{}, fmt.Errorf("%s.role is %.40q, want %q", path, answer.Message.Role, RoleAssistant)
	case strings.TrimSpace(answer.Message.Content) == "":
		return Reply{}, fmt.Errorf("%s.content is missing or empty", path)
	}
	reply.Text, reply.FinishReason = answer.Message.Content, answer.FinishReason
	return reply, nil
}

// choice parses one choice. Its index defaults to its position.
func (d *decoder) choice(v value, place int) Choice {
	if v.isAbsent() {
		d.fail(fmt.Errorf("%s is %s, want an object", v.path, v.kind()))
	}
	fields := d.object(v)
	message := d.object(fields.at("message"))
	index := fields.at("index")
	c := Choice{
		Message:      Message{Role: d.text(message.at("role")), Content: d.text(message.at("content"))},
		Index:        int(d.integer(index)),
		FinishReason: d.text(fields.at("finish_reason")),
	}
	if index.isAbsent() {
		c.Index = place
	}
	return c
}

func (d *decoder) usage(v value) *Usage {
	if v.isAbsent() {
		return nil
	}
	fields := d.object(v)
	return &Usage{
		PromptTokens:     d.integer(fields.at("prompt_tokens")),
		CompletionTokens: d.integer(fields.at("completion_tokens")),
		TotalTokens:      d.integer(fields.at("total_tokens")),
	}
}

// notJSON describes a page that was received instead of an answer, for example
// from a captive portal.
func notJSON(body []byte, err error) error {
	if page := body[:min(len(body), MaxErrorBody)]; isHTML("", page) {
		return fmt.Errorf("the body is a web page, not JSON: %q", cut(strings.ToValidUTF8(htmlText(page), "\uFFFD"), 120))
	}
	return err
}
